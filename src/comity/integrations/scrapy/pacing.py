"""When a request may be sent to its origin, learnt from what comes of those that were sent."""

from asyncio import CancelledError
from typing import Any

from scrapy import Request, signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    IgnoreRequest,
    NotSupported,
    StopDownload,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response
from scrapy.utils.misc import load_object
from twisted.internet import defer
from twisted.python.failure import Failure

from ...errors import InvalidURL
from ...politeness.pace import BACK_OFF, LONGEST_BACK_OFF, Demand, Why
from ...protocol.access.freshness import retry_after
from .asking import is_asking
from .refusals import MustWait
from .sites import Site, Sites
from .slots import Slot, take_over

__all__ = ["Pacer"]

#: Failures that say nothing of a server: it was not asked, or was not let finish.
_OURS = (
    CannotResolveHostError,
    CancelledError,
    DownloadCancelledError,
    IgnoreRequest,
    NotSupported,
    StopDownload,
    UnsupportedURLSchemeError,
    defer.CancelledError,
)


class Pacer:
    """Says when a request may be sent, and learns from what comes of it."""

    def __init__(self, crawler: Crawler, sites: Sites) -> None:
        """Take the crawl."""
        #: are the slots ours, if there is any?
        self.has_slots = False
        self._crawler = crawler
        self._sites = sites
        self._options = sites.options
        #: when each request that is under way was sent
        self._began: dict[Request, float] = {}
        sites.pacer = self
        crawler.signals.connect(self._response_downloaded, signals.response_downloaded)

    def now(self) -> float:
        """Give the time by which all of this goes."""
        return self._sites.monotonic()

    def take_over(self) -> None:
        """Make the slots of the downloader ours, before any is used; raises `RuntimeError` if it cannot."""
        engine = self._crawler.engine
        if isinstance(engine, ExecutionEngine) or _is_of(self._crawler, engine.downloader):
            take_over(engine.downloader, self)
        self.has_slots = True

    def wait(self, request: Request, site: Site) -> tuple[float, Why]:
        """Give the seconds until its origin may be visited at all, which may be many, and the reason."""
        pause, closed = site.not_before - self.now(), 0.0
        if self._is_over(request, site):
            return float("inf"), Why.BUSY
        if pause > 0 and site.why is Why.BACK_OFF and is_asking(request) and request.meta.get("retry_times"):
            return float("inf"), site.why  # its failure has closed the site by now, and is an answer
        if site.access is not None and _is_bound(request):
            closed = self._demand(request, site).visit_wait
        return (closed, Why.VISIT_TIME) if closed > pause else (pause, site.why)

    def refusal(self, request: Request) -> MustWait | None:
        """Give the error for a request that would wait for longer than anything may, if it would."""
        site = self._sites.find(request.url)
        if site is None:
            return None
        seconds, why = self.wait(request, site)
        if seconds <= self._options.max_wait:
            return None
        self._crawler.stats.inc_value("comity/too_early")
        return MustWait(request.url, seconds, why.value)

    def ready(self, request: Request) -> float:
        """Give the time from which a request may be sent, by `now`; what is past is any time."""
        site = self._sites.find(request.url)
        if site is None:
            return float("-inf")
        now, ready = self.now(), site.not_before
        if self._is_over(request, site):
            return float("inf")
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

    def _is_over(self, request: Request, site: Site) -> bool:
        """Say whether somebody else may be asking an origin by now, so that a request comes too late."""
        return site.lent_until < self.now() and not is_asking(request)

    def begin(self, request: Request) -> None:
        """Take that a request is sent."""
        self._sites.sent(request)
        self._began[request] = self.now()
        site = self._sites.find(request.url)
        if site is not None:
            site.under_way += 1

    def end(self, request: Request) -> None:
        """Take that a request was answered, or never will be."""
        site = self._sites.find(request.url)
        if site is not None:
            site.under_way = max(site.under_way - 1, 0)
            site.ended = self.now()

    def settled(self, outcome: Any, request: Request) -> Any:
        """Take what came of a request that stood in a slot, and hand it on."""
        began = self._began.pop(request, None)
        failed = isinstance(outcome, Failure) and not isinstance(outcome.value, _OURS)
        # A robots.txt that cannot be had closes its site by itself.
        site = self._sites.find(request.url) if failed and not is_asking(request) else None
        if began is not None and site is not None:
            self._refused(site, began, None)
        return outcome

    def _demand(self, request: Request, site: Site) -> Demand:
        return site.view(self._sites.agent(request)).demand(self._options, self._sites.clock())

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Leave a server alone that says when to come back (RFC 9110 10.2.3), or has too much to do."""
        value, refused = response.headers.get(b"Retry-After"), response.status in (429, 503)
        seconds = None if value is None else retry_after(value.decode("latin-1"), self._sites.clock())
        if value is None and not refused:
            site = self._sites.find(request.url)
            if site is not None and response.status < 500:
                site.refusals = 0
            return
        try:
            site = self._sites.site(request.url)
        except InvalidURL:
            return
        if site is None:
            return
        if refused:
            self._refused(site, self._began.get(request, self.now()), seconds)
        elif response.status < 500:
            site.refusals = 0
        if seconds:
            self._crawler.stats.inc_value("comity/retry_after")
            self._pause(site, seconds, Why.RETRY_AFTER)

    def _refused(self, site: Site, began: float, told: float | None) -> None:
        """Take that a server refused, or did not answer; what was sent at one time is one in its row."""
        if began >= site.refused:
            site.refusals += 1
            site.refused = self.now()
        if told is None:
            self._crawler.stats.inc_value("comity/back_off")
            seconds = BACK_OFF * 2.0 ** min(site.refusals - 1, 16)
            self._pause(site, min(seconds, LONGEST_BACK_OFF), Why.BACK_OFF)

    def _pause(self, site: Site, seconds: float, why: Why) -> None:
        """Leave a server alone, and keep nobody in a queue who would wait for too long."""
        until = self.now() + seconds
        if until <= site.not_before:
            return
        site.not_before, site.why = until, why
        if seconds > self._options.max_wait:
            for slot in self._crawler.engine.downloader.slots.values():
                if isinstance(slot, Slot):
                    slot.waiting.refuse()


def _is_of(crawler: Crawler, downloader: object) -> bool:
    """Say whether a crawl sends by a downloader; by what stands in for one in a test it does not."""
    kind = load_object(crawler.settings["DOWNLOADER"])
    return not isinstance(kind, type) or isinstance(downloader, kind)


def _is_bound(request: Request) -> bool:
    """Say whether the robots.txt speaks of a request: not if its spider says that it is not to be obeyed."""
    return is_asking(request) or not request.meta.get("dont_obey_robotstxt")
