"""The time that a run still needs, if it can be known."""

from collections.abc import Mapping

from ..job.interface import Job
from .activity import WINDOW, Activity

#: Seconds between two readings of the queue.
_INTERVAL = 5.0


class Forecast:
    """Estimates the remaining seconds of a run from its rate.

    They are not known while pages still lead to new URLs, while a site is waiting, or if other workers share
    the job. With a limit, they are known as soon as enough URLs are queued. `max_time` is the maximum
    duration of the run in seconds.
    """

    def __init__(
        self, job: Job, activity: Activity, limit: int | None, max_time: float | None = None
    ) -> None:
        self._max_time = max_time
        self._job = job
        self._activity = activity
        self._limit = limit
        self._known = 0
        #: time when the last new URL was found
        self._grew: float = activity.began
        self._queued: list[tuple[str, int]] = []
        self._read: float = float("-inf")

    def remaining(self, outcomes: Mapping[str, int]) -> float | None:
        """Return the remaining seconds; None if they are not known. `outcomes` are those of the job."""
        now, known = self._activity.clock(), sum(outcomes.values())
        if known != self._known:
            self._known, self._grew = known, now
        if now - self._activity.began < WINDOW or self._job.worker is not None:
            return None
        estimates = [self._until_limit(outcomes)]
        if now - self._grew >= WINDOW:
            estimates.append(self._until_empty(now))
        known_estimates = [each for each in estimates if each is not None]
        if known_estimates and self._max_time is not None:
            known_estimates.append(max(self._activity.began + self._max_time - now, 0.0))
        return min(known_estimates, default=None)

    def _until_limit(self, outcomes: Mapping[str, int]) -> float | None:
        if self._limit is None:
            return None
        left = self._limit - outcomes.get("stored", 0) - outcomes.get("checked", 0)
        done = self._activity.outcomes
        total = done.total()
        share = (done["stored"] + done["checked"]) / total if total else 0.0
        rate = self._activity.rate() * share
        return left / rate if rate and 0 <= left <= outcomes.get("queued", 0) * share else None

    def _until_empty(self, now: float) -> float | None:
        if now - self._read >= _INTERVAL:
            self._queued, self._read = self._job.queued(), now
        rates = self._activity.rates()
        if not all(rates.get(origin) for origin, _ in self._queued):
            return None
        return max((count / rates[origin] for origin, count in self._queued), default=None)
