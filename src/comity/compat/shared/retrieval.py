"""A URL -> its robots.txt, with a limit for the time and one for the size.

Requests go through `urllib.request.urlopen`, so they use the proxies and the opener that a program has
installed there.
"""

import copy
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from email.message import Message
from http.client import HTTPResponse
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, NamedTuple, TypeVar

from ...errors import InvalidArgument
from ...protocol import (
    REDIRECT_STATUSES,
    RFC9309_ACCESS,
    BrokenRedirect,
    Origin,
    redirected,
    without_partial_line,
)
from ...protocol.access import Fetch, Outcome

T = TypeVar("T")

#: Size of a piece of a body in bytes.
_PIECE = 65_536

#: The header fields that are sent only to the origin of the first URL.
_CREDENTIALS = frozenset(("authorization", "cookie", "proxy-authorization"))

#: `urllib.request` follows no redirect of a request that has visited this many URLs.
_VISITED = dict.fromkeys(map(str, range(urllib.request.HTTPRedirectHandler.max_redirections)), 1)


class Response(NamedTuple):
    """A response: its status, its header fields, and its body as it was sent; empty for an error.

    `target` is the URL that a redirect leads to. The last response has one if there were too many redirects.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    target: str | None


def response(url: str | urllib.request.Request, timeout: float | None, max_size: int | None) -> Response:
    """Return the response for a URL, after at most as many redirects as `urllib.request` follows.

    Only the whole lines in the first `max_size` bytes of a longer body are returned.
    """
    found = _retrieved(url, timeout, max_size, redirects=len(_VISITED))
    if max_size is not None and len(found.body) > max_size:
        return found._replace(body=without_partial_line(found.body[:max_size]))
    return found


def outcome(
    url: str | urllib.request.Request, timeout: float | None, max_size: int | None
) -> tuple[Outcome, bytes]:
    """Return the outcome of a request by RFC 9309 2.3.1, and the decoded robots.txt."""
    found = _retrieved(url, timeout, max_size, redirects=RFC9309_ACCESS.redirects)
    if found.target is not None:
        return RFC9309_ACCESS.too_many_redirects, b""
    policy = RFC9309_ACCESS.replace(name="urllib", limit=sys.maxsize if max_size is None else max_size)
    fetch = Fetch("http://localhost/", policy=policy)  # which request it was has no influence
    now = time.time()
    if fetch.receive(found.status, found.headers, now=now):
        fetch.data(found.body)
        fetch.finish(now=now)
    return fetch.access.outcome, fetch.access.body


def _retrieved(
    url: str | urllib.request.Request, timeout: float | None, max_size: int | None, redirects: int
) -> Response:
    """Return the last response, after at most this number of redirects."""
    _check(timeout, max_size)
    request = copy.copy(url) if isinstance(url, urllib.request.Request) else urllib.request.Request(url)
    return _within(timeout, lambda deadline: _followed(request, timeout, deadline, max_size, redirects))


def _followed(
    request: urllib.request.Request,
    timeout: float | None,
    deadline: float,
    max_size: int | None,
    redirects: int,
) -> Response:
    while True:
        vars(request)["redirect_dict"] = _VISITED  # `urllib` would read the body of a redirect without limit
        found = _sent(request, timeout, deadline, max_size)
        if found.target is None or not redirects:
            return found
        redirects -= 1
        request = urllib.request.Request(found.target, headers=_headers_for(found.target, request))


def _target(url: str, status: int, location: str | None) -> str | None:
    """Return the URL that a redirect leads to; None if it cannot be followed."""
    if status not in REDIRECT_STATUSES:
        return None
    try:
        return redirected(url, location)
    except BrokenRedirect:
        return None


def _headers_for(target: str, request: urllib.request.Request) -> dict[str, str]:
    """Return the header fields of a request for the next one: another origin gets no credentials."""
    same = Origin.of(target) == Origin.of(request.full_url)
    return {
        name: value for name, value in request.headers.items() if same or name.lower() not in _CREDENTIALS
    }


def _sent(
    request: urllib.request.Request, timeout: float | None, deadline: float, max_size: int | None
) -> Response:
    """Send one request; read one byte more than `max_size`, which shows that the body is too long."""
    limit = -1 if max_size is None else max_size + 1
    try:
        opened = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.fp is not None:  # an error that a program made may have neither a body nor header fields
            error.close()
        fields = error.headers or Message()
        target = _target(request.full_url, error.code, fields.get("location"))
        return Response(error.code, list(fields.items()), b"", target)
    with closing(opened):
        status, headers = getattr(opened, "status", None), getattr(opened, "headers", None)
        return Response(
            status if isinstance(status, int) else 200,  # a file: or data: URL has no status
            headers.items() if isinstance(headers, Message) else [],
            _read(opened, limit, deadline),
            None,
        )


def _read(body: IO[bytes] | HTTPResponse, limit: int, deadline: float) -> bytes:
    """Read a body up to a limit, or all of it for -1. Raises `TimeoutError` after the deadline."""
    if not isinstance(body, HTTPResponse):
        return body.read(limit)
    content = bytearray()
    while limit < 0 or len(content) < limit:
        piece = body.read1(_PIECE if limit < 0 else min(_PIECE, limit - len(content)))
        if not piece:
            break
        if time.monotonic() > deadline:
            raise TimeoutError
        content += piece
    return bytes(content)


def _within(timeout: float | None, work: Callable[[float], T]) -> T:
    """Return the result of some work, which gets the deadline, or raise `TimeoutError` after it.

    The timeout of a socket limits one step only, and a slow server can cause many. So the work is done in a
    thread, which is left alone after the deadline and ends with its next step.
    """
    if timeout is None:
        return work(float("inf"))
    results: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()
    deadline = time.monotonic() + timeout

    def run() -> None:
        try:
            results.put((work(deadline), None))
        except BaseException as error:  # raised again in the thread of the caller
            results.put((None, error))

    thread = Thread(target=run, name="robots.txt", daemon=True)
    thread.start()
    try:
        result, error = results.get(timeout=timeout)
    except Empty:
        raise TimeoutError(f"no whole robots.txt within {timeout} seconds") from None
    thread.join()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def _check(timeout: float | None, max_size: int | None) -> None:
    if timeout is not None and not timeout > 0:
        raise InvalidArgument(
            f"invalid timeout {timeout!r}: expected seconds above 0, or None", name="timeout"
        )
    if max_size is not None and not max_size > 0:
        raise InvalidArgument(
            f"invalid max_size {max_size!r}: expected bytes above 0, or None", name="max_size"
        )
