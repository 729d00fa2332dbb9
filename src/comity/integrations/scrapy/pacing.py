"""Decide when a request may be sent to its host, from the delays and failures of earlier requests."""

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
from ...politeness import ERROR_BACK_OFF, end_of_wait, smoothed
from ...protocol import retry_after
from ...stores import Delay, WaitReason
from .acquisition import field_of, is_for_robots_txt
from .scrapy_errors import MustWait
from .site import ScrapySite
from .sites import Sites
from .slots import Slot, take_over

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
    """Decides when a request may be sent, from the outcomes of earlier requests."""

    def __init__(self, crawler: Crawler, sites: Sites) -> None:
        #: whether the slots of the downloader have been replaced
        self.has_slots: bool = False
        self._crawler = crawler
        self._sites = sites
        self._options = sites.options
        #: start times and origins of the requests in flight
        self._began: dict[Request, tuple[float, ScrapySite | None]] = {}
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

    def wait(self, request: Request, site: ScrapySite) -> tuple[float, WaitReason]:
        """Return the seconds until a request may be sent to its origin, and the reason."""
        now = self.now()
        pause, closed = site.host.not_before - now, 0.0
        if _has_lost_lease(request, site, now):
            return float("inf"), WaitReason.BUSY
        if (
            pause > ERROR_BACK_OFF  # after a single error, a retry is worth the wait
            and site.host.pauses.reason is WaitReason.BACK_OFF
            and is_for_robots_txt(request)
            and request.meta.get("retry_times")
        ):
            return float("inf"), site.host.pauses.reason  # the failure has already closed the site
        if site.access is not None and _is_subject_to_robots_txt(request):
            closed = self._delay(request, site).visit_wait
        return (closed, WaitReason.VISIT_TIME) if closed > pause else (pause, site.host.pauses.reason)

    def refusal(self, request: Request) -> MustWait | None:
        """Return the error if a request would wait longer than `COMITY_MAX_WAIT`."""
        site = self._sites.find(request.url)
        if site is None:
            return None
        seconds, why = self.wait(request, site)
        if seconds <= self._options.max_wait:
            return None
        self._crawler.stats.inc_value("comity/too_early")
        until = end_of_wait(self._sites.clock(), seconds, why)
        return MustWait(request.url, seconds, why.sentence, until)

    def ready(self, request: Request) -> float:
        """Return the time from which a request may be sent, on the clock of `now`; it may be in the past."""
        site = self._sites.find(request.url)
        if site is None:
            return float("-inf")
        now, ready = self.now(), site.host.not_before
        if _has_lost_lease(request, site, now):
            return float("inf")
        if _is_subject_to_robots_txt(request):
            delay = self._delay(request, site)
            if delay.gap:
                # Requests in flight end now at the earliest, and the gap starts then.
                ready = max(ready, (now if site.host.in_flight else site.host.ended) + delay.gap)
            if delay.visit_wait:
                ready = max(ready, now + delay.visit_wait)
        return ready

    def begin(self, request: Request) -> None:
        """Record that a request is sent."""
        site = self._site(request)
        self._began[request] = self.now(), site
        if self._sites.log is not None:
            self._sites.sent(request, None if site is None else self._gap(request, site))
        if site is not None:
            site.host.in_flight += 1

    def end(self, request: Request) -> None:
        """Record that a request was answered or has failed."""
        self._sites.ended(request)
        began = self._began.get(request)
        site = self._sites.find(request.url) if began is None else began[1]
        if site is not None:
            site.host.in_flight = max(site.host.in_flight - 1, 0)
            site.host.ended = self.now()

    def settled(self, outcome: Any, request: Request) -> Any:
        """Record the outcome of a request from a slot, and return it."""
        began = self._began.pop(request, None)
        failed = isinstance(outcome, Failure) and not isinstance(outcome.value, _NOT_OF_SERVER)
        # A failed request for robots.txt closes the site, so it starts no back-off.
        if failed and began is not None and began[1] is not None and not is_for_robots_txt(request):
            self._record(began[1], None, began[0], None)
        return outcome

    def _gap(self, request: Request, site: ScrapySite) -> tuple[float, str, float | None]:
        """Return the gap that a request has to observe, why, and when the request before ended.

        The end is None if requests to the host are in flight, or none was sent.
        """
        required, why = 0.0, WaitReason.GAP
        if _is_subject_to_robots_txt(request):
            delay = self._delay(request, site)
            required, why = delay.gap, delay.why
        since = None
        if site.host.ended > float("-inf") and not site.host.in_flight:
            since = self._sites.clock() - (self.now() - site.host.ended)
        return required, why.code, since

    def _site(self, request: Request) -> ScrapySite | None:
        """Return the origin of a request, also of one without rules; None for a URL without a host."""
        try:
            return self._sites.site(request.url)
        except InvalidURL:
            return None

    def _delay(self, request: Request, site: ScrapySite) -> Delay:
        return site.delay(self._sites.agent(request), self._options, self._sites.clock())

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Record a response, which may ask for a pause (RFC 9110 10.2.3)."""
        value = field_of(response.headers, b"Retry-After")
        seconds = None if value is None else retry_after(value.decode("latin-1"), self._sites.clock())
        began, site = self._began.get(request) or (self.now(), self._site(request))
        if site is not None:
            self._record(site, response.status, began, seconds)

    def _record(self, site: ScrapySite, status: int | None, began: float, seconds: float | None) -> None:
        """Record the outcome of a request; `seconds` is a Retry-After.

        Refuse requests that would wait too long.
        """
        host, before, now = site.host, site.host.not_before, self.now()
        host.response_time = smoothed(host.response_time, now - began, status)
        pause = host.pauses.record(status, sent=began, now=now, retry_after=seconds)
        if pause is None:
            return
        if pause[1] is WaitReason.BACK_OFF:
            self._crawler.stats.inc_value("comity/back_off")
        elif pause[0]:
            self._crawler.stats.inc_value("comity/retry_after")
        if site.host.not_before > before and pause[0] > self._options.max_wait:
            for slot in self._crawler.engine.downloader.slots.values():
                if isinstance(slot, Slot):
                    slot.waiting.refuse()


def _is_configured_downloader(crawler: Crawler, downloader: object) -> bool:
    """Return whether a downloader is the configured one; a substitute in a test is not."""
    kind = load_object(crawler.settings["DOWNLOADER"])
    return not isinstance(kind, type) or isinstance(downloader, kind)


def _has_lost_lease(request: Request, site: ScrapySite, now: float) -> bool:
    """Return whether the lease has expired, so that another worker may use the origin."""
    return site.leased_until < now and not is_for_robots_txt(request)


def _is_subject_to_robots_txt(request: Request) -> bool:
    """Return whether robots.txt applies to a request: not with `dont_obey_robotstxt`."""
    return not request.meta.get("dont_obey_robotstxt") or is_for_robots_txt(request)
