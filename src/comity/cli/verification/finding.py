"""The problems with lists of addresses that `comity agents` reports, and the result for each list."""

from typing import NamedTuple

from .feed_store import StoredFeed

#: A copy is reported as stale if it was fetched longer ago, in seconds.
STALE = 7 * 86_400.0


class FeedProblem(NamedTuple):
    """A problem with a list: its code, such as "feed-error", its level, and a sentence."""

    code: str
    level: str
    message: str


class Refreshed(NamedTuple):
    """The result for one list: "fetched", "unchanged", "not-due", "held" or "failed", and the problems."""

    url: str
    result: str
    stored: StoredFeed
    findings: tuple[FeedProblem, ...]

    def record(self) -> dict[str, object]:
        """Return the result as a dict that is ready for JSON."""
        copy = self.stored.state.copy
        return {
            "url": self.url,
            "result": self.result,
            "copy": None if copy is None else copy.record(),
            "findings": [finding._asdict() for finding in self.findings],
        }
