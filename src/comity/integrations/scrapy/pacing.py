"""Decide when a request may be sent to its origin, from the delays and failures of earlier requests."""

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
from ...politeness.pace import BACK_OFF, LONGEST_BACK_OFF, Delay, WaitReason
from ...protocol.access.freshness import retry_after
from .acquisition import is_for_robots_txt
from .refusals import MustWait
from .site import Site
from .sites import Sites
from .slots import Slot, take_over

__all__ = ["Pacer"]

#: Failures that are not the server's: nothing was sent, or the crawl stopped the download.
_NOT_OF_SERVER = (
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
        #: whether the slots of the downloader have been replaced
        self.has_slots = False
        self._crawler = crawler
        self._sites = sites
        self._options = sites.options
        #: start times of the requests in flight
        self._began: dict[Request, float] = {}
        sites.pacer = self
        crawler.signals.connect(self._response_downloaded, signals.response_downloaded)

    def now(self) -> float:
        """Return the time of the monotonic clock."""
        return self._sites.monotonic()

    def take_over(self) -> None:
        """Replace the slots of the downloader, before any is used.

        Raise `RuntimeError` if that is not possible.
        """
        engine = self._crawler.engine
        if isinstance(engine, ExecutionEngine) or _is_configured_downloader(self._crawler, engine.downloader):
            take_over(engine.downloader, self)
        self.has_slots = True

    def wait(self, request: Request, site: Site) -> tuple[float, WaitReason]:
        """Return the seconds until a request may be sent to its origin, and the reason."""
        pause, closed = site.not_before - self.now(), 0.0
        if self._has_lost_lease(request, site):
            return float("inf"), WaitReason.BUSY
        if (
            pause > 0
            and site.pause_reason is WaitReason.BACK_OFF
            and is_for_robots_txt(request)
            and request.meta.get("retry_times")
        ):
            return float("inf"), site.pause_reason  # the failure has already closed the site
        if site.access is not None and _is_subject_to_robots_txt(request):
            closed = self._demand(request, site).visit_wait
        return (closed, WaitReason.VISIT_TIME) if closed > pause else (pause, site.pause_reason)

    def refusal(self, request: Request) -> MustWait | None:
        """Return the error if a request would wait longer than `COMITY_MAX_WAIT`."""
        site = self._sites.find(request.url)
        if site is None:
            return None
        seconds, why = self.wait(request, site)
        if seconds <= self._options.max_wait:
            return None
        self._crawler.stats.inc_value("comity/too_early")
        return MustWait(request.url, seconds, why.value)

    def ready(self, request: Request) -> float:
        """Return the time from which a request may be sent, on the clock of `now`; it may be in the past."""
        site = self._sites.find(request.url)
        if site is None:
            return float("-inf")
        now, ready = self.now(), site.not_before
        if self._has_lost_lease(request, site):
            return float("inf")
        if site.access is None and self._options.delay:
            # The delays of the site are not known yet; the minimum gap of the crawl applies.
            ready = max(ready, (now if site.in_flight else site.ended) + self._options.delay)
        elif site.access is not None and _is_subject_to_robots_txt(request):
            wanted = self._demand(request, site)
            if wanted.gap:
                # Requests in flight end now at the earliest, and the gap starts then.
                ready = max(ready, (now if site.in_flight else site.ended) + wanted.gap)
            if wanted.visit_wait:
                ready = max(ready, now + wanted.visit_wait)
        return ready

    def _has_lost_lease(self, request: Request, site: Site) -> bool:
        """Return whether the lease has expired, so that another worker may use the origin."""
        return site.leased_until < self.now() and not is_for_robots_txt(request)

    def begin(self, request: Request) -> None:
        """Record that a request is sent."""
        self._sites.sent(request)
        self._began[request] = self.now()
        site = self._sites.find(request.url)
        if site is not None:
            site.in_flight += 1

    def end(self, request: Request) -> None:
        """Record that a request was answered or has failed."""
        site = self._sites.find(request.url)
        if site is not None:
            site.in_flight = max(site.in_flight - 1, 0)
            site.ended = self.now()

    def settled(self, outcome: Any, request: Request) -> Any:
        """Record the outcome of a request from a slot, and return it."""
        began = self._began.pop(request, None)
        failed = isinstance(outcome, Failure) and not isinstance(outcome.value, _NOT_OF_SERVER)
        # A failed request for robots.txt closes the site, so it starts no back-off.
        site = self._sites.find(request.url) if failed and not is_for_robots_txt(request) else None
        if began is not None and site is not None:
            self._count_failure(site, began, None)
        return outcome

    def _demand(self, request: Request, site: Site) -> Delay:
        return site.rules_for(self._sites.agent(request)).demand(self._options, self._sites.clock())

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Pause an origin after Retry-After (RFC 9110 10.2.3), 429 or 503."""
        value, is_failure = response.headers.get(b"Retry-After"), response.status in (429, 503)
        seconds = None if value is None else retry_after(value.decode("latin-1"), self._sites.clock())
        if value is None and not is_failure:
            site = self._sites.find(request.url)
            if site is not None and response.status < 500:
                site.failures = 0
            return
        try:
            site = self._sites.site(request.url)
        except InvalidURL:
            return
        if site is None:
            return
        if is_failure:
            self._count_failure(site, self._began.get(request, self.now()), seconds)
        elif response.status < 500:
            site.failures = 0
        if seconds:
            self._crawler.stats.inc_value("comity/retry_after")
            self._pause(site, seconds, WaitReason.RETRY_AFTER)

    def _count_failure(self, site: Site, began: float, stated: float | None) -> None:
        """Count a failure and start a back-off. Requests in flight together count as one failure."""
        if began >= site.last_failure:
            site.failures += 1
            site.last_failure = self.now()
        if stated is None:
            self._crawler.stats.inc_value("comity/back_off")
            seconds = BACK_OFF * 2.0 ** min(site.failures - 1, 16)
            self._pause(site, min(seconds, LONGEST_BACK_OFF), WaitReason.BACK_OFF)

    def _pause(self, site: Site, seconds: float, why: WaitReason) -> None:
        """Pause an origin, and refuse the queued requests that would wait too long."""
        until = self.now() + seconds
        if until <= site.not_before:
            return
        site.not_before, site.pause_reason = until, why
        if seconds > self._options.max_wait:
            for slot in self._crawler.engine.downloader.slots.values():
                if isinstance(slot, Slot):
                    slot.waiting.refuse()


def _is_configured_downloader(crawler: Crawler, downloader: object) -> bool:
    """Return whether a downloader is the configured one; a substitute in a test is not."""
    kind = load_object(crawler.settings["DOWNLOADER"])
    return not isinstance(kind, type) or isinstance(downloader, kind)


def _is_subject_to_robots_txt(request: Request) -> bool:
    """Return whether robots.txt applies to a request: not with `dont_obey_robotstxt`."""
    return is_for_robots_txt(request) or not request.meta.get("dont_obey_robotstxt")
