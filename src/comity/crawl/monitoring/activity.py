"""The activity of a run: finished URLs, response times, recent errors, and the rate."""

import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable

from ..job.entry import Entry, Result

#: Number of seconds over which the rate is measured.
WINDOW = 60.0

#: Maximum number of recent errors.
_MAX_ERRORS = 20

#: The upper limits of the classes of response times, in seconds.
CLASSES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

#: The outcomes that are shown as errors.
_ERRORS = ("http-error", "failed", "too-large")


class Activity:
    """Counts the URLs that a run of this process has finished. `clock` returns seconds.

    >>> activity = Activity(clock=lambda: 100.0)
    >>> activity.retry("https://example.com/", "status 503")
    >>> activity.retries, activity.errors[0]
    (1, ('https://example.com/', 'status 503'))
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start to count."""
        self.clock = clock
        self.began: float = clock()
        self.outcomes: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.stored_bytes: int = 0
        self.retries: int = 0
        #: number of responses per class of `CLASSES`; the last number is that of all longer ones
        self.response_times: list[int] = [0] * (len(CLASSES) + 1)
        self.response_seconds: float = 0.0
        #: URL and reason of the last errors, latest first
        self.errors: deque[tuple[str, str]] = deque(maxlen=_MAX_ERRORS)
        #: time and origin of each URL that was finished within the window
        self._recent: deque[tuple[float, str]] = deque()

    def finish(self, entry: Entry, result: Result) -> None:
        """Count a result."""
        self.outcomes[result.outcome] += 1
        if result.outcome == "stored":
            self.stored_bytes += result.size
        if result.outcome in _ERRORS or result.read_in_part is not None:
            self.errors.appendleft((entry.url, result.reason or result.read_in_part or result.outcome))
        if result.status is not None:
            self.statuses[result.status] += 1
            if result.seconds is not None:
                self.response_times[bisect_left(CLASSES, result.seconds)] += 1
                self.response_seconds += result.seconds
        self._recent.append((self.clock(), entry.origin))
        self._forget()

    def retry(self, url: str, reason: str) -> None:
        """Count a request that failed and is sent again."""
        self.retries += 1
        self.errors.appendleft((url, reason))

    def _forget(self) -> None:
        start = self.clock() - WINDOW
        while self._recent and self._recent[0][0] < start:
            self._recent.popleft()

    def rate(self) -> float:
        """Return the number of URLs that were finished per second, over the last minute."""
        self._forget()
        return len(self._recent) / self._seconds()

    def rates(self) -> dict[str, float]:
        """Return the same per origin."""
        self._forget()
        counts = Counter(origin for _, origin in self._recent)
        return {origin: count / self._seconds() for origin, count in counts.items()}

    def _seconds(self) -> float:
        """Return the length of the window, which is shorter in the first minute."""
        return min(max(self.clock() - self.began, 1.0), WINDOW)
