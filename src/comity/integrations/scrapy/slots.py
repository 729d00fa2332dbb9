"""Scrapy's own downloader slots, which also wait for what sites ask for.

A slot of Scrapy waits from the start of one request to the start of the next, for a delay that it makes
shorter and longer by chance and that AutoThrottle changes. It goes on doing so. Beside that, the first
request in its queue waits for its origin: one at a time where the site asks for a gap, from the end of one to
the start of the next never less than the gap, outside of Visit-time none, and none before a Retry-After is
over. That is the origin's, whatever slots lead there, and outlives them.
"""

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core import downloader
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.internet.defer import Deferred

from ...errors import InvalidURL
from ...protocol.freshness import retry_after
from ...robot.pace import Demand, Why
from .asking import is_asking
from .sites import Site, Sites

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot as Stock

__all__ = ["Pacer", "Slot"]

_logger = logging.getLogger(__name__)

#: A delay that is none, and not nothing: Scrapy looks at each request anew only where there is a delay.
_NONE = 5e-324


class Pacer:
    """Says when a request may be sent, and learns from what comes of it."""

    def __init__(self, crawler: Crawler, sites: Sites) -> None:
        """Take the crawl."""
        #: are the slots ours, as far as that can be?
        self.has_slots = False
        self._crawler = crawler
        self._sites = sites
        self._options = sites.options
        sites.pacer = self
        crawler.signals.connect(self._response_downloaded, signals.response_downloaded)

    def wait(self, request: Request, site: Site) -> tuple[float, Why]:
        """Give the seconds until its origin may be visited at all, which may be many, and the reason."""
        pause, closed = site.not_before - self._sites.monotonic(), 0.0
        if site.access is not None:
            closed = self._demand(request, site).visit_wait
        return (closed, Why.VISIT_TIME) if closed > pause else (pause, Why.RETRY_AFTER)

    def ready(self, request: Request) -> float:
        """Give the time from which a request may be sent, by `Sites.monotonic`; what is past is any time."""
        site = self._sites.find(request.url)
        if site is None:
            return float("-inf")
        now, ready = self._sites.monotonic(), site.not_before
        if site.access is None and self._options.delay:
            # What the site asks for is not known yet; what this crawl grants to all is.
            ready = max(ready, (now if site.under_way else site.ended) + self._options.delay)
        elif site.access is not None and _is_bound(request):
            wanted = self._demand(request, site)
            if wanted.gap:
                # What is under way ends now at the earliest, so the gap after it is certain.
                ready = max(ready, (now if site.under_way else site.ended) + wanted.gap)
            if wanted.visit_wait:
                ready = max(ready, now + wanted.visit_wait)
        return ready

    def _demand(self, request: Request, site: Site) -> Demand:
        return site.view(self._sites.agent(request)).demand(self._options, self._sites.clock())

    def begin(self, request: Request) -> None:
        """Take that a request is sent."""
        self._sites.sent(request)
        site = self._sites.find(request.url)
        if site is not None:
            site.under_way += 1

    def end(self, request: Request) -> None:
        """Take that a request was answered, or never will be."""
        site = self._sites.find(request.url)
        if site is not None:
            site.under_way = max(site.under_way - 1, 0)
            site.ended = self._sites.monotonic()

    def take_over(self) -> None:
        """Make the slots of the downloader ours, before there is any; again is no harm."""
        downloader, self.has_slots = self._crawler.engine.downloader, True
        slots = getattr(downloader, "slots", None)
        if isinstance(slots, dict):
            downloader.slots = _Slots(self, slots)
        else:
            _logger.warning("The downloader has no slots like Scrapy's own, so no pace is kept")

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Leave a server alone that says when to come back (RFC 9110 10.2.3), whatever its status."""
        value = response.headers.get(b"Retry-After")
        if value is None:
            return
        seconds = retry_after(value.decode("latin-1"), self._sites.clock())
        try:
            site = self._sites.site(request.url)
        except InvalidURL:
            return
        if seconds and site is not None:
            site.not_before = max(site.not_before, self._sites.monotonic() + seconds)
            self._crawler.stats.inc_value("comity/retry_after")


class Slot(downloader.Slot):
    """A downloader slot whose requests wait for their sites too."""

    __slots__ = ("_pacer",)

    def __init__(self, slot: "Stock", pacer: Pacer) -> None:
        """Do as another slot, which has not been used."""
        super().__init__(slot.concurrency, slot.delay, slot.jitter)
        self._pacer = pacer
        self.queue = _Queue(pacer)
        self.transferring = _Transferring(pacer)

    def download_delay(self) -> float:
        """Give the seconds from the last start after which the next request may be sent."""
        delay = downloader.Slot.download_delay(self)
        if self.queue:
            delay = max(delay, self._pacer.ready(self.queue[0][0]) - self.lastseen)
        return delay or _NONE


class _Queue(deque[tuple[Request, "Deferred[Response]"]]):
    """The requests that wait in a slot; one that leaves it is sent."""

    def __init__(self, pacer: Pacer) -> None:
        super().__init__()
        self._pacer = pacer

    def popleft(self) -> tuple[Request, "Deferred[Response]"]:
        first = super().popleft()
        self._pacer.begin(first[0])
        return first


class _Transferring(set[Request]):
    """The requests that a slot has sent; one that leaves it was answered, or never will be."""

    def __init__(self, pacer: Pacer) -> None:
        super().__init__()
        self._pacer = pacer

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._pacer.end(request)


class _Slots(dict[str, "Stock"]):
    """The slots of a downloader, which makes each that Scrapy puts in one of ours."""

    def __init__(self, pacer: Pacer, slots: dict[str, Any]) -> None:
        super().__init__(slots)
        self._pacer = pacer

    def __setitem__(self, key: str, slot: "Stock") -> None:
        super().__setitem__(key, Slot(slot, self._pacer) if type(slot) is downloader.Slot else slot)


def _is_bound(request: Request) -> bool:
    """Say whether the robots.txt speaks of a request: not if its spider says that it is not to be obeyed."""
    return is_asking(request) or not request.meta.get("dont_obey_robotstxt")
