"""Receive responses with the bytes of their header, which Scrapy and Twisted normalize.

Twisted hands each line of a header to a parser, and then calls Scrapy with the parsed response. The parser of
this module stores the lines. While it calls Scrapy, `head_being_received` returns them.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.utils.asyncio import call_later
from twisted.internet.error import ConnectionLost
from twisted.internet.interfaces import ISSLTransport
from twisted.python.failure import Failure

from ...integrations.scrapy.public_connections import PublicDownloadHandler
from ...protocol import Origin, Value
from ..job_spider import spider_of
from ..limits.rate import Bandwidth
from .exchange import Exchange, Fields

#: Maximum size of a header in bytes.
MAX_HEAD = 1 << 18

#: A status line (RFC 9112 4). Twisted accepts any name of the protocol, and any integer, such as 10**30.
_STATUS_LINE = re.compile(rb"(?i:HTTP)/[0-9]\.[0-9] [0-9]{3}(?: |$)")

#: The key of `Request.meta` with the reception of the response.
_RECEPTION = "comity_reception"

#: `WARC-Truncated` per failure of a download.
_TRUNCATED: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "time"),
    (DownloadCancelledError, "length"),
    (ResponseDataLossError, "disconnect"),
    (DownloadFailedError, "disconnect"),
)


class RawHeaders(Value):
    """The header of a response as it was received, and the fields of the request as they were sent."""

    request_fields: Fields
    lines: bytes
    status: int
    ip_address: str | None


_HEAD: ContextVar[RawHeaders | None] = ContextVar("comity_head", default=None)


def head_being_received() -> RawHeaders | None:
    """Return the header that Twisted has just received, during Scrapy's signal `headers_received`."""
    return _HEAD.get()


@contextmanager
def _receiving(head: RawHeaders) -> Iterator[None]:
    token = _HEAD.set(head)
    try:
        yield
    finally:
        _HEAD.reset(token)


class Reception:
    """The part of a response that has arrived."""

    def __init__(self) -> None:
        self.head: RawHeaders | None = None
        self.parts: list[bytes] = []
        #: whether the body is complete, or why its end is missing
        self.complete = False
        self.truncated: str | None = None
        #: the page after its scripts have run
        self.rendered: bytes | None = None

    @staticmethod
    def of(request: Request) -> "Reception | None":
        """Return the reception of a response; None if nothing was sent."""
        found: Reception | None = request.meta.get(_RECEPTION)
        return found

    @property
    def status(self) -> int | None:
        """The status code; None without a header."""
        return None if self.head is None else self.head.status

    def exchange(self, request: Request) -> Exchange | None:
        """Return the exchange of a request; None without a header, and for a download that was stopped."""
        if self.head is None or not (self.complete or self.truncated):
            return None
        host = str(Origin.of(request.url)).partition("://")[2]
        return Exchange(
            url=request.url,
            method=request.method,
            request_fields=self.head.request_fields or [("Host", host)],
            head=self.head.lines,
            status=self.head.status,
            body=b"".join(self.parts),
            ip_address=None if request.meta.get("proxy") else self.head.ip_address,
            truncated=self.truncated,
            rendered=self.rendered,
        )


def head_received(request: Request) -> None:
    """Store the header of a response in its reception; a handler of Scrapy's signal `headers_received`."""
    reception = Reception.of(request)
    if reception is not None:
        reception.head = head_being_received()


#: Seconds within which a connection is used again. Many servers close one after two seconds or five, and a
#: request that meets the end of its connection counts as a failure.
_REUSE = 1.5


class CrawlDownloadHandler(PublicDownloadHandler):
    """The download handler of a crawl: it limits the size of headers, and notes how a download ended."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # as Scrapy's handler does
        self._pool._factory = partial(_Factory, bandwidth=spider_of(crawler).bandwidth)  # type: ignore[assignment]
        self._pool.retryAutomatically = False  # it would send a request again without the delay of the site
        self._pool.cachedConnectionTimeout = _REUSE  # type: ignore[assignment]  # any number

    async def download_request(self, request: Request) -> Response:
        """Download a response."""
        reception = request.meta[_RECEPTION] = Reception()
        try:
            return await super().download_request(request)
        except Exception as error:
            reception.truncated = next((why for kind, why in _TRUNCATED if isinstance(error, kind)), None)
            raise


def _stored(line: bytes) -> bytes:
    r"""Return a line as readers of WARC files understand it: CR and NUL become spaces (RFC 9110 5.5).

    Lines of white space only are left out, because the header would end there for some readers.

    >>> _stored(b"x-odd: \xff\r"), _stored(b"a: b\rc: d"), _stored(b" \t\r"), _stored(b"\r")
    (b'x-odd: \xff\r\n', b'a: b c: d\r\n', b'', b'\r\n')
    """
    line = line.removesuffix(b"\r")
    cleaned = line.replace(b"\r", b" ").replace(b"\0", b" ")
    try:
        text = cleaned.decode()
    except UnicodeDecodeError:
        text = cleaned.decode("latin-1")
    return cleaned + b"\r\n" if text.strip() or not line else b""


def _is_persistent(version: tuple[bytes, int, int], values: Iterable[bytes]) -> bool:
    """Return whether a connection can be used again after a response (RFC 9112 9.3).

    `values` are those of its `Connection` fields.
    Twisted regards only the value `close`, so it would send a request while a server of HTTP/1.0 closes.

    >>> [_is_persistent((b"HTTP", 1, minor), [value]) for minor in (0, 1) for value in (b"", b"TE, Close")]
    [False, False, True, False]
    """
    options = {option.strip().lower() for value in values for option in value.split(b",")}
    return b"close" not in options and (version >= (b"HTTP", 1, 1) or b"keep-alive" in options)


class _HeaderParser(_LenientHTTPClientParser):
    """Scrapy's parser, which also stores the lines of the header."""

    #: maximum length of a line, for Twisted's `LineReceiver`; its own is 16,384 bytes
    MAX_LENGTH: int = MAX_HEAD

    lines: bytearray
    request_fields: Fields
    ip_address: str | None

    def lineReceived(self, line: bytes) -> None:  # noqa: N802  # the name of Twisted
        self.lines += _stored(line)
        if len(self.lines) > MAX_HEAD:
            raise ValueError(f"the header is longer than {MAX_HEAD} bytes")
        super().lineReceived(line)

    def statusReceived(self, status: bytes) -> None:  # noqa: N802  # the name of Twisted
        if not _STATUS_LINE.match(status):
            raise ValueError(f"not a status line: {status[:100]!r}")
        super().statusReceived(status)  # type: ignore[no-untyped-call]

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802  # the name of Twisted
        if name.lower() != b"transfer-encoding" or value.lower() != b"identity":  # no coding (RFC 2616 3.6)
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]

    def connection_reset(self) -> None:
        """Prepare for the end of a connection that was reset: a body without a stated length is incomplete.

        Twisted takes every end of the connection for the end of such a body (RFC 9112 6.3, 8).
        """
        decoder = self.bodyDecoder
        if decoder is not None and getattr(decoder, "contentLength", 0) is None:
            decoder.contentLength = 1  # more than will arrive

    def allHeadersReceived(self) -> None:  # noqa: N802  # the name of Twisted
        status = self.response.code
        if not _is_persistent(self.response.version, self.connHeaders.getRawHeaders(b"Connection", ())):
            self.connHeaders.setRawHeaders(b"Connection", [b"close"])
        with _receiving(RawHeaders(self.request_fields, bytes(self.lines), status, self.ip_address)):
            super().allHeadersReceived()  # type: ignore[no-untyped-call]
        self.lines.clear()  # the response may follow an informational one


class _Protocol(_LenientHTTP11ClientProtocol):
    """Scrapy's protocol with the parser of this module. Its connection pauses while the bandwidth is used."""

    #: None for no limit
    bandwidth: Bandwidth | None = None

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  # the name of Twisted
        if self.bandwidth is not None and (seconds := self.bandwidth.pause(len(data))) > 0:
            transport: Any = self.transport
            transport.pauseProducing()
            call_later(seconds, transport.resumeProducing)
        super().dataReceived(data)  # type: ignore[no-untyped-call]

    def request(self, request: Any) -> Any:
        done = super().request(request)
        parser: Any = self._parser
        transport: Any = self.transport
        # As Scrapy does, because Twisted names the class of the parser itself.
        parser.__class__ = _HeaderParser
        parser.lines = bytearray()
        parser.request_fields = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in request.headers.getAllRawHeaders()
            for value in values
        ]
        parser.ip_address = getattr(transport.getPeer(), "host", None)
        return done

    def _disconnectParser(self, reason: Failure | Exception) -> None:  # noqa: N802  # the name of Twisted
        error = reason.value if isinstance(reason, Failure) else reason
        # For TLS, Twisted gives the same reason if a server omits the closing alert, as many do.
        is_reset = isinstance(error, ConnectionLost) and not ISSLTransport.providedBy(self.transport)
        if is_reset and isinstance(self._parser, _HeaderParser):
            self._parser.connection_reset()
        super()._disconnectParser(reason)  # type: ignore[no-untyped-call]


class _Factory(_LenientHTTP11ClientFactory):
    """Scrapy's factory with the protocol of this module."""

    def __init__(self, *args: Any, bandwidth: Bandwidth | None = None) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]
        self._bandwidth = bandwidth

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802  # the name of Twisted
        protocol = _Protocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
        protocol.bandwidth = self._bandwidth
        return protocol
