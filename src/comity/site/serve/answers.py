"""A robots.txt and a request for it -> the answer: status, header fields, body."""

import hashlib
from email.utils import formatdate

from ...errors import InvalidArgument
from ...protocol.value import Value
from .preconditions import failed

__all__ = ["NOT_FOUND", "Answer", "File", "Request", "whole_seconds"]

#: What a robots.txt can be asked for with.
_ALLOW = "GET, HEAD, OPTIONS"

_TEXT = ("Content-Type", "text/plain; charset=utf-8")  # RFC 9309 2.3


class Request(Value):
    """What a client asks for, as the server hands it on.

    `path` is the whole path in octets, below no mount, its escapes decoded, as applications have it; `query`
    is what follows the `?`, as it came. `headers` are pairs of name, in any case, and value.
    """

    __slots__ = ("method", "path", "query", "headers")
    method: str
    path: bytes
    query: bytes
    headers: tuple[tuple[str, str], ...]


class Answer(Value):
    """A whole response: its status, its header fields in order, its body (none for HEAD)."""

    __slots__ = ("status", "headers", "body")
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class File:
    """A robots.txt as it is served: its body, for how long it holds, and what tells its copies apart."""

    __slots__ = ("body", "caching", "etag", "modified")

    def __init__(self, body: bytes, caching: str, modified: float | None = None) -> None:
        """Take the octets, the value of `Cache-Control`, and whole seconds since 1970 if they are known."""
        self.body = body
        self.caching = caching
        self.modified = modified
        #: a strong entity tag made of the body: the same on all servers that have the same file
        self.etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'

    def answer(self, request: Request) -> Answer:
        r"""Answer a request for the file.

        >>> file = File(b"User-agent: *\n", "max-age=3600")
        >>> answer = file.answer(Request("GET", b"/robots.txt", b"", ()))
        >>> answer.status, answer.headers[0], answer.body
        (200, ('Content-Type', 'text/plain; charset=utf-8'), b'User-agent: *\n')
        >>> file.answer(Request("GET", b"/robots.txt", b"", (("If-None-Match", file.etag),))).status
        304
        """
        if request.method == "OPTIONS":
            return Answer(204, (("Allow", _ALLOW),), b"")
        if request.method not in ("GET", "HEAD"):
            return _empty(405, ("Allow", _ALLOW))
        # RFC 9110 15.4.5: what a 304 must say again, and no more.
        validity = (("Cache-Control", self.caching), ("ETag", self.etag))
        match failed(request.headers, self.etag, self.modified):
            case None:
                pass
            case 304:
                return Answer(304, validity, b"")
            case status:
                return _empty(status)
        content = (
            _TEXT,
            ("Content-Length", str(len(self.body))),
            ("X-Content-Type-Options", "nosniff"),  # no browser is to take it for a page
        )
        modified = () if self.modified is None else (("Last-Modified", _http_date(self.modified)),)
        body = b"" if request.method == "HEAD" else self.body
        return Answer(200, content + validity + modified, body)


def _empty(status: int, *headers: tuple[str, str]) -> Answer:
    return Answer(status, (_TEXT, ("Content-Length", "0"), *headers), b"")


#: The answer of those who serve nothing else.
NOT_FOUND = _empty(404)


def whole_seconds(modified: float) -> float:
    """Give a moment as HTTP can tell it; raises `InvalidArgument` for one that no date stands for."""
    try:
        seconds = float(int(modified))
        _http_date(seconds)
    except (ValueError, OverflowError, OSError, TypeError):
        raise InvalidArgument(f"last_modified is in seconds since 1970, not {modified!r}") from None
    return seconds


def _http_date(seconds: float) -> str:
    return formatdate(seconds, usegmt=True)
