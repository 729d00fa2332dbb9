"""Fetch the robots.txt of origins through Scrapy's engine; `politeness` interprets the answers.

For these requests Scrapy does not follow redirects, decode bodies or use its cache. It retries as the
project's settings say, and each request waits in its slot.
"""

import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

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
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ...errors import ComityError, NotPublic
from ...politeness import ReceivedResponse, RobotsAcquisition
from ...protocol import pairs_of
from ...protocol.access import Access, AccessPolicy, Cause
from ...protocol.access import Request as Wanted
from .scrapy_errors import certificate_problem, said_by

#: Key of `Request.meta`: the origin for which a robots.txt or site file is fetched, also after redirects.
ACQUIRED_FOR = "comity_acquired_for"

#: Key of `Request.meta` that marks a request for a robots.txt.
_ROBOTS_TXT = "comity_robots_txt"

#: Maximum timeout in seconds for one request. All pages of the site wait for it.
_TIMEOUT = 30.0

#: Number of bytes beyond the limit after which a download is stopped.
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

#: The meta key of Scrapy's HttpProxyMiddleware for a request that has the password of its proxy.
_LOGGED_IN = "_auth_proxy"

#: Load the stored answer of an origin, and store one.
Load = Callable[[str], Awaitable[Access | None]]
Save = Callable[[Access], Awaitable[None]]

_Answer = TypeVar("_Answer")

#: The logger of the stock middleware, where projects expect the messages.
_logger = logging.getLogger("scrapy.downloadermiddlewares.robotstxt")


class _Received:
    """The response to one request, as received, before Scrapy's middlewares change it."""

    __slots__ = ("reply", "size")

    def __init__(self) -> None:
        self.size = 0
        self.reply: ReceivedResponse | None = None


def field_of(headers: Headers, name: bytes) -> bytes | None:
    """Return the last value of a header field, None if there is none.

    `name` is written as Scrapy stores it, such as `b"User-Agent"`: Scrapy's own `get` converts it each time.

    >>> field_of(Headers({"user-agent": "ExampleBot/1.0"}), b"User-Agent")
    b'ExampleBot/1.0'
    """
    values = dict.get(headers, name)
    return values[-1] if values else None


def is_for_robots_txt(request: Request) -> bool:
    """Return whether a request was made here to fetch a robots.txt."""
    return _ROBOTS_TXT in request.meta


def proxy_of(request: Request) -> dict[str, Any]:
    """Return the meta keys that send another request through the proxy that a request names.

    >>> proxy_of(Request("http://example.com/", meta={"proxy": "http://proxy.example:3128", "depth": 1}))
    {'proxy': 'http://proxy.example:3128'}
    """
    return {name: request.meta[name] for name in ("proxy", _LOGGED_IN) if name in request.meta}


def credentials_of(request: Request) -> dict[str, list[bytes]]:
    """Return the header with the user and password for that proxy, which Scrapy moves there from its URL."""
    if _LOGGED_IN not in request.meta:
        return {}
    return {"Proxy-Authorization": request.headers.getlist("Proxy-Authorization")}


class SingleFlight(Generic[_Answer]):
    """Runs at most one operation for each key, under any of Scrapy's reactors.

    All callers that ask for the same key meanwhile wait for the same answer. Cancelling one caller does not
    cancel the operation.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[Deferred[_Answer]]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._waiting

    async def run(self, key: str, operation: Callable[[], Coroutine[Any, Any, _Answer]]) -> _Answer:
        """Return the answer of an operation, started unless it is running.

        Raises its error.
        """
        waiter: Deferred[_Answer] = Deferred()
        if key in self._waiting:
            self._waiting[key].append(waiter)
        else:
            self._waiting[key] = [waiter]
            deferred_from_coro(operation()).addBoth(self._deliver, key)
        return await maybe_deferred_to_future(waiter)

    def _deliver(self, answer: Any, key: str) -> None:
        for waiter in self._waiting.pop(key):
            if waiter.called:  # cancelled
                continue
            if isinstance(answer, Failure):
                waiter.errback(answer)
            else:
                waiter.callback(answer)


class RobotsTxtClient:
    """Fetches robots.txt files for one crawl."""

    #: priority of the requests, as in the stock middleware
    PRIORITY = 1000

    def __init__(
        self,
        crawler: Crawler,
        policy: AccessPolicy,
        clock: Callable[[], float],
        load: Load,
        save: Save,
        prepare: Callable[[str], Awaitable[None]],
    ) -> None:
        """Create a client for a crawl; `load` and `save` access stored answers.

        `prepare` is called with another origin before a request to it, so that its delays are observed.
        """
        self._crawler = crawler
        self._policy = policy
        self._clock = clock
        self._load = load
        self._save = save
        self._prepare = prepare
        self._timeout = min(crawler.settings.getfloat("DOWNLOAD_TIMEOUT") or _TIMEOUT, _TIMEOUT)
        self._fetching = 0

    async def fetch(self, origin: str, known: Access | None, page: Request) -> tuple[Access, bool]:
        """Fetch the robots.txt of an origin for the sake of the request `page`, through its proxy.

        `known` is the previous answer. Return whether the answer is to be stored, too. Raises `NotPublic` if
        the origin is not public.
        """
        acquisition = RobotsAcquisition(origin, self._policy, known)
        if not self._fetching:  # connected only when needed: the signals come for every chunk of every page
            self._crawler.signals.connect(self._bytes_received, signals.bytes_received)
            self._crawler.signals.connect(self._response_downloaded, signals.response_downloaded)
        self._fetching += 1
        try:
            while acquisition.request is not None:
                if acquisition.is_foreign_file and acquisition.use_stored(
                    await self._load(acquisition.target), self._clock()
                ):
                    continue
                if acquisition.target != origin:
                    await self._prepare(acquisition.target)
                response = await self._send(acquisition.request, origin, page)
                if response.refusal is not None:
                    acquisition.fail(response, self._clock())
                    continue
                foreign = acquisition.receive(response, self._clock())
                if foreign is not None:
                    await self._save(foreign)
        finally:
            self._fetching -= 1
            if not self._fetching:
                self._crawler.signals.disconnect(self._bytes_received, signals.bytes_received)
                self._crawler.signals.disconnect(self._response_downloaded, signals.response_downloaded)
        stats, access = self._crawler.stats, acquisition.access
        stats.inc_value("robotstxt/request_count")
        if access.status is not None:
            stats.inc_value("robotstxt/response_count")
            stats.inc_value(f"robotstxt/response_status_count/{access.status}")
        return access, not acquisition.is_refused

    async def _send(self, wanted: Wanted, first: str, page: Request) -> ReceivedResponse:
        reply, received = ReceivedResponse(), _Received()
        try:
            request = Request(
                wanted.url,
                headers={**dict(wanted.headers), **credentials_of(page)},
                priority=self.PRIORITY,
                callback=NO_CALLBACK,
                meta={
                    **proxy_of(page),
                    _ROBOTS_TXT: received,
                    ACQUIRED_FOR: first,
                    "dont_obey_robotstxt": True,
                    "dont_redirect": True,  # RFC 9309 2.3.1.2: the fetch counts redirects
                    "handle_httpstatus_all": True,
                    "dont_cache": True,  # RFC 9309 2.4: the store knows how long an answer is fresh
                    "allow_offsite": True,  # RFC 9309 2.3.1.2: redirects may lead to another authority
                    "download_maxsize": 0,  # the download is stopped by _bytes_received
                    "download_warnsize": 0,
                    "download_fail_on_dataloss": True,
                    "download_timeout": self._timeout,
                },
            )
        except ValueError as failure:  # redirected to a URL that is not valid
            reply.fail(Cause.NOT_FETCHABLE, str(failure))
            return reply
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as failure:
            self._log_failure(request, failure)
            if received.reply is not None:  # a middleware failed after the response arrived
                return received.reply
            if isinstance(failure, NotPublic):
                reply.refuse(failure)
                return reply
            if isinstance(failure, ComityError):  # refused by a middleware: not an answer of the site
                raise
            cause = next((cause for kind, cause in _CAUSES if isinstance(failure, kind)), Cause.NETWORK)
            reply.fail(Cause.TLS if certificate_problem(failure) else cause, said_by(failure))
            return reply
        raw = received.reply
        return _reply(response, self._policy.limit) if raw is None or raw.status != response.status else raw

    def _log_failure(self, request: Request, failure: Exception) -> None:
        """Log a failure like the stock middleware."""
        if not isinstance(failure, IgnoreRequest):
            self._crawler.stats.inc_value(f"robotstxt/exception_count/{type(failure)}")
            _logger.error(
                "Error downloading %(request)s: %(f_exception)s",
                {"request": request, "f_exception": failure},
                exc_info=True,
                extra={"spider": self._crawler.spider},
            )

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a download that exceeds the limit (RFC 9309 2.5): a server may send for ever."""
        received = request.meta.get(_ROBOTS_TXT)
        if received is not None:
            received.size += len(data)
            if received.size > self._policy.limit + _SLACK:
                raise StopDownload(fail=False)

    def _response_downloaded(self, response: Response, request: Request) -> None:
        """Store a response as it was sent, before a middleware changes it.

        Remove the content coding, so that no middleware decompresses the body: a few bytes may expand to
        hundreds of megabytes. The fetch decompresses up to its limit (RFC 9309 2.5).
        """
        received = request.meta.get(_ROBOTS_TXT)
        if received is not None:
            received.size = 0  # of a retry
            received.reply = _reply(response, self._policy.limit)
            response.headers.pop(b"Content-Encoding", None)


def _reply(response: Response, limit: int) -> ReceivedResponse:
    reply, pairs = ReceivedResponse(), pairs_of(response.headers)
    reply.start(
        response.status,
        [(name, value.decode("latin-1") if isinstance(value, bytes) else value) for name, value in pairs],
    )
    if reply.wants_body:
        reply.add(response.body, limit)
    return reply
