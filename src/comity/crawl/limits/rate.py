"""The bandwidth of a crawl: connections read slowly, so servers send slowly, and requests wait.

A small response arrives before its connection can be paused, so the scheduler has to wait as well.
"""

import time
from collections.abc import Callable

#: Seconds of bandwidth that a crawl may use at once after a pause.
_BURST = 0.5


class Bandwidth:
    """Counts received bytes, and says how long to pause.

    >>> times = iter([0.0, 0.0, 1.0, 3.5])
    >>> bandwidth = Bandwidth(1000, clock=lambda: next(times))
    >>> bandwidth.pause(3000), bandwidth.pause(500), bandwidth.pause()
    (2.5, 2.0, 0.0)
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a counter; `rate` is in bytes per second."""
        self._rate = rate
        self._clock = clock
        #: time until which the received bytes use the bandwidth
        self._used_until = clock()

    def pause(self, received: int = 0) -> float:
        """Count received bytes, and return the seconds to wait before reading more or sending a request."""
        now = self._clock()
        self._used_until = max(self._used_until, now) + received / self._rate
        return max(self._used_until - now - _BURST, 0.0)
