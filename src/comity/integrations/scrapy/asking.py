"""Asks an origin for its robots.txt by Scrapy's engine, judged by `protocol/access/fetch.py`.

Scrapy follows no redirect here, decodes nothing and keeps no answer; it retries as the project's settings
say, and each request waits for its turn in its slot.
"""

import logging
from collections.abc import Awaitable, Callable

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    StopDownload,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from ...errors import ComityError, InvalidURL
from ...politeness.replies import Reply, feed, replay
from ...protocol.access.fetch import Fetch
from ...protocol.access.fetch import Request as Wanted
from ...protocol.access.header_fields import pairs_of
from ...protocol.access.outcome import Access, Cause
from ...protocol.access.policy import AccessPolicy
from ...protocol.origin import Origin

__all__ = ["ASKED_FOR", "Asker", "is_asking"]

#: The key of `Request.meta` that has the origin which a request is about, wherever it leads.
ASKED_FOR = "comity_asked_for"

#: The key of `Request.meta` by which a request for a robots.txt is known.
_ASKED = "comity_asked"

#: Seconds for one request, if the project grants no less. All pages of the site wait for it.
_TIMEOUT = 30.0

#: Octets beyond the limit after which a download is stopped.
_SLACK = 65_536

_CAUSES: tuple[tuple[type[Exception], Cause], ...] = (
    (CannotResolveHostError, Cause.DNS),
    (DownloadConnectionRefusedError, Cause.REFUSED),
    (DownloadTimeoutError, Cause.TIMEOUT),
    (TimeoutError, Cause.TIMEOUT),
    (ResponseDataLossError, Cause.INCOMPLETE),
    (UnsupportedURLSchemeError, Cause.NOT_FETCHABLE),
    (NotSupported, Cause.NOT_FETCHABLE),
    (IgnoreRequest, Cause.NOT_FETCHABLE),
)

#: What gives the answer that is kept for an origin, and what keeps one.
Load = Callable[[str], Awaitable[Access | None]]
Save = Callable[[Access], Awaitable[None]]

#: Where projects look for what the stock middleware says.
_logger = logging.getLogger("scrapy.downloadermiddlewares.robotstxt")


class _Received:
    """What has come in for one request, whatever Scrapy's middlewares make of it."""

    __slots__ = ("octets", "reply")

    def __init__(self) -> None:
        self.octets = 0
        self.reply: Reply | None = None


def is_asking(request: Request) -> bool:
    """Say whether a request is one for a robots.txt that is made here."""
    return _ASKED in request.meta


class Asker:
    """Asks origins for their robots.txt, in the name of one crawl."""

    #: the priority of the requests, which is the stock middleware's
    PRIORITY = 1000

    def __init__(
        self, crawler: Crawler, policy: AccessPolicy, clock: Callable[[], float], load: Load, save: Save
    ) -> None:
        """Take the crawl, and where answers are kept."""
        self._crawler = crawler
        self._policy = policy
        self._clock = clock
        self._load = load
        self._save = save
        self._timeout = min(crawler.settings.getfloat("DOWNLOAD_TIMEOUT") or _TIMEOUT, _TIMEOUT)
        self._asking = 0

    async def ask(self, origin: str, known: Access | None) -> Access:
        """Find out what holds for an origin; `known` is what did before."""
        fetch = Fetch(origin, policy=self._policy, known=known)
        if not self._asking:  # these signals come for every chunk of every page, so only while they matter
            self._crawler.signals.connect(self._bytes_received, signals.bytes_received)
            self._crawler.signals.connect(self._response_downloaded, signals.response_downloaded)
        self._asking += 1
        try:
            while fetch.request is not None:
                await self._go_on(fetch, origin)
        finally:
            self._asking -= 1
            if not self._asking:
                self._crawler.signals.disconnect(self._bytes_received, signals.bytes_received)
                self._crawler.signals.disconnect(self._response_downloaded, signals.response_downloaded)
        stats, access = self._crawler.stats, fetch.access
        stats.inc_value("robotstxt/request_count")
        if access.status is not None:
            stats.inc_value("robotstxt/response_count")
            stats.inc_value(f"robotstxt/response_status_count/{access.status}")
        return access

    async def _go_on(self, fetch: Fetch, first: str) -> None:
        """Let a fetch see what comes of its next request.

        A robots.txt that another site's redirects to is that one's answer as well, and is asked for once.
        """
        wanted = fetch.request
        assert wanted is not None  # noqa: S101  # by whoever calls
        other: Fetch | None = None
        try:
            origin = str(Origin.of(wanted.url))
        except InvalidURL:
            origin = first
        if origin != first and wanted.url == f"{origin}/robots.txt":
            known = await self._load(origin)
            if known is not None and known.fresh(self._clock()) and replay(known, fetch, self._clock()):
                return
            other = Fetch(origin, policy=self._policy, known=known)
        reply, now = await self._send(wanted, first), self._clock()
        # 304 speaks of the copy that was asked about.
        if other is not None and (reply.status != 304 or other.request == wanted):
            feed(other, reply, now)
            if other.request is None:
                await self._save(other.access)
        feed(fetch, reply, now)

    async def _send(self, wanted: Wanted, first: str) -> Reply:
        """Send one request, and give what comes."""
        reply, received = Reply(), _Received()
        try:
            request = Request(
                wanted.url,
                headers=dict(wanted.headers),
                priority=self.PRIORITY,
                callback=NO_CALLBACK,
                meta={
                    _ASKED: received,
                    ASKED_FOR: first,
                    "dont_obey_robotstxt": True,
                    "dont_redirect": True,  # RFC 9309 2.3.1.2: so many and no more, which the fetch counts
                    "handle_httpstatus_all": True,
                    "dont_cache": True,  # RFC 9309 2.4: the store knows how long an answer holds
                    "allow_offsite": True,  # RFC 9309 2.3.1.2: to another authority too
                    "download_maxsize": 0,  # stopped where there is enough, and not for nothing
                    "download_warnsize": 0,
                    "download_fail_on_dataloss": True,
                    "download_timeout": self._timeout,
                },
            )
        except ValueError as failure:  # where a redirect led, to an address that is none
            reply.broken(Cause.NOT_FETCHABLE, str(failure))
            return reply
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as failure:
            self._note(request, failure)
            if received.reply is not None:  # it came, and a middleware could not read it
                return received.reply
            if isinstance(failure, ComityError):  # it was not to be sent now, which says nothing of the site
                raise
            cause = next((cause for kind, cause in _CAUSES if isinstance(failure, kind)), Cause.NETWORK)
            reply.broken(cause, str(failure) or type(failure).__name__)
            return reply
        raw = received.reply
        return _reply(response, self._policy.limit) if raw is None or raw.status != response.status else raw

    def _note(self, request: Request, failure: Exception) -> None:
        """Tell of a failure as the stock middleware does."""
        if not isinstance(failure, IgnoreRequest):
            self._crawler.stats.inc_value(f"robotstxt/exception_count/{type(failure)}")
            _logger.error(
                "Error downloading %(request)s: %(f_exception)s",
                {"request": request, "f_exception": failure},
                exc_info=True,
                extra={"spider": self._crawler.spider},
            )

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a download that has brought enough (RFC 9309 2.5): a server may send for ever."""
        received = request.meta.get(_ASKED)
        if received is not None:
            received.octets += len(data)
            if received.octets > self._policy.limit + _SLACK:
                raise StopDownload(fail=False)

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Keep a response as it was sent, before a middleware changes it.

        None decodes it either: a few octets may stand for hundreds of megabytes, of which no more than the
        first are read (RFC 9309 2.5).
        """
        received = request.meta.get(_ASKED)
        if received is not None:
            received.octets = 0  # of a retry
            received.reply = _reply(response, self._policy.limit)
            response.headers.pop(b"Content-Encoding", None)


def _reply(response: Response, limit: int) -> Reply:
    reply, pairs = Reply(), pairs_of(response.headers)
    reply.begin(
        response.status,
        [(name, value.decode("latin-1") if isinstance(value, bytes) else value) for name, value in pairs],
    )
    if reply.wants_body:
        reply.take(response.body, limit)
    return reply
