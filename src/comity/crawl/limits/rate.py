"""Limits the bandwidth of a crawl: servers send slowly because it reads slowly, and requests wait."""

import time
from collections.abc import Callable
from typing import Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later

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


def limit_bandwidth(crawler: Crawler, rate: float) -> Bandwidth:
    """Limit the bandwidth of all connections of a crawl together; `rate` is in bytes per second.

    A small response arrives before its connection can be paused, so the scheduler has to wait as well.
    """
    bandwidth = Bandwidth(rate)
    assert crawler.engine is not None  # noqa: S101  # called when the spider is opened
    handlers = crawler.engine.downloader.handlers
    for scheme in ("http", "https"):
        handler = handlers._get_handler(scheme)
        if isinstance(handler, HTTP11DownloadHandler):
            handler._pool._factory = _limited(handler._pool._factory, bandwidth)
    return bandwidth


def _limited(factory: Any, bandwidth: Bandwidth) -> Any:
    """Return a factory of client protocols that pause their connection while the bandwidth is used."""

    class LimitedFactory(factory):  # type: ignore[misc]
        def buildProtocol(self, addr: object) -> Any:  # noqa: N802
            protocol = super().buildProtocol(addr)
            received = protocol.dataReceived

            def data_received(data: bytes) -> None:
                seconds = bandwidth.pause(len(data))
                if seconds > 0:
                    transport = protocol.transport
                    transport.pauseProducing()
                    call_later(seconds, transport.resumeProducing)
                received(data)

            protocol.dataReceived = data_received
            return protocol

    return LimitedFactory
