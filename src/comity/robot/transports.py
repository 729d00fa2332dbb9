"""The checks of transports, mounts and requests that a caller passes: they must be those of httpx2.

A forked process inherits connections, and the parent goes on to use them. If both sent requests on one
connection, each could receive the answers to the requests of the other, such as a page instead of a
robots.txt. So the forked process opens its own.
"""

import copy
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar
from weakref import WeakSet

import httpx2
from httpx2._utils import URLPattern  # not exported; one definition of what a mount matches is enough

from ..errors import InvalidArgument

_transports: WeakSet[httpx2.HTTPTransport | httpx2.AsyncHTTPTransport] = WeakSet()


def leave_to_parent(transport: object) -> None:
    """Let forked processes open connections of their own, if this is a transport of httpx2."""
    if isinstance(transport, httpx2.HTTPTransport | httpx2.AsyncHTTPTransport):
        _transports.add(transport)


def _forget_connections() -> None:
    for transport in list(_transports):
        pool: Any = transport._pool  # httpx2 does not publish it
        own = transport._pool = copy.copy(pool)
        own._connections, own._requests = [], []
        for each in (own, pool):  # an open response is closed by the old pool
            each._optional_thread_lock = type(pool._optional_thread_lock)()  # another thread may hold it
        if isinstance(transport, httpx2.HTTPTransport):
            for connection in pool._connections:
                with suppress(Exception):
                    connection.close()  # only here: nothing is sent


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_connections)


_Transport = TypeVar("_Transport")


class Mounts(Generic[_Transport]):
    """Transports by pattern, such as "https://" or "all://*.example.com:8443"; the most specific one counts.

    Raises `InvalidArgument` for a pattern that is not valid.

    >>> mounts = Mounts({"https://": 1, "https://example.com": 2, "all://*.example.com": 3})
    >>> urls = "https://a/", "https://example.com/", "http://a.example.com/", "http://example.com/"
    >>> [mounts.find(httpx2.URL(url), 0) for url in urls]
    [1, 2, 3, 0]
    """

    def __init__(self, mounts: Mapping[str, _Transport]) -> None:
        """Read the patterns."""
        self._by_pattern = sorted(
            ((_pattern(key), transport) for key, transport in mounts.items()), key=lambda pair: pair[0]
        )

    @property
    def transports(self) -> tuple[_Transport, ...]:
        """All mounted transports."""
        return tuple(transport for _, transport in self._by_pattern)

    def find(self, url: httpx2.URL, default: _Transport) -> _Transport:
        """Return the transport for a URL, or `default` if no pattern matches it."""
        return next((transport for pattern, transport in self._by_pattern if pattern.matches(url)), default)


def _pattern(key: object) -> URLPattern:
    try:
        if not isinstance(key, str) or "://" not in key:
            raise ValueError
        pattern = URLPattern(key)
        if pattern.network is None and httpx2.URL(key).path not in ("", "/"):
            raise ValueError  # it would match all paths
        return pattern
    except (ValueError, httpx2.InvalidURL):
        expected = "expected a pattern such as https:// or all://*.example.com"
        raise InvalidArgument(f"invalid mounts {key!r:.200}: {expected}", name="mounts") from None


def check_transport(
    name: str, transport: object, expected: type[httpx2.BaseTransport] | type[httpx2.AsyncBaseTransport]
) -> None:
    """Raise `InvalidArgument` for an argument, `name`, that is not a transport of the `expected` class.

    >>> check_transport("wrapped", httpx2.HTTPTransport, httpx2.BaseTransport)
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid wrapped HTTPTransport: it is a class; pass an instance of it, ...
    """
    if isinstance(transport, expected):
        return
    kind = transport if isinstance(transport, type) else type(transport)
    library = kind.__module__.partition(".")[0]
    wanted = f"expected an httpx2.{expected.__name__}"
    if isinstance(transport, type):
        problem = f"it is a class; pass an instance of it, such as {kind.__name__}()"
    elif isinstance(transport, httpx2.BaseTransport):
        problem = f"it is synchronous; {wanted}"
    elif isinstance(transport, httpx2.AsyncBaseTransport):
        problem = f"it is asynchronous; {wanted}"
    elif library == "httpx":
        problem = f"it is a transport of httpx; {wanted}, or use comity.integrations.httpx"
    else:
        problem = wanted
    is_known = library in ("httpx", "httpx2", "comity")
    shown = kind.__name__ if is_known else f"{transport!r:.200}"
    raise InvalidArgument(f"invalid {name} {shown}: {problem}", name=name)


def check_request(transport: object, request: object) -> None:
    """Raise `TypeError` if the client that uses a transport is not one of httpx2.

    >>> check_request(httpx2.HTTPTransport(), "https://example.com/")
    Traceback (most recent call last):
    TypeError: HTTPTransport is a transport of httpx2, but the client uses builtins: ...
    """
    if not isinstance(request, httpx2.Request):
        name, library = type(transport).__name__, type(request).__module__.partition(".")[0]
        raise TypeError(
            f"{name} is a transport of httpx2, but the client uses {library}: use a client of httpx2, "
            "or send the request with the permission of a robot (`with robot.permission(url) as permit`)"
        )
