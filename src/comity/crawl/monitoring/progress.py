"""The progress of a run, for the live display, the closing report and metrics."""

from ...protocol import Value
from ..job.entry import Postponement


class Progress(Value):
    """The progress of a run: counts, origins in progress, and waiting and postponed origins."""

    outcomes: dict[str, int]
    #: size of the stored pages that `outcomes` counts
    stored_bytes: int
    in_progress: tuple[str, ...]
    waiting: dict[str, Postponement]
    postponed: dict[str, Postponement]
    #: whether the run is stopping, and only waits for requests in progress
    stopping: bool
    #: whether the run was stopped before it was finished
    stopped: bool
    #: URLs that are being fetched
    urls: tuple[str, ...]
    #: number of URLs per second over the last minute, and the remaining seconds if they are known
    rate: float
    remaining: float | None
    #: URL and reason of the last errors, latest first
    errors: tuple[tuple[str, str], ...]
    #: names of the limits that kept URLs in the queue, apart from "limit"
    limits: tuple[str, ...]
