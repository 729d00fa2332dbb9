"""The options of httpx2 that a robot passes on, with their types, and the check of their names and values.

httpx2 does not export the names of these types, so they are repeated here.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from http.cookiejar import CookieJar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict

import httpx2

from ..errors import InvalidArgument
from ..politeness.settings import seconds_of


class HasItems(Protocol):
    """A mapping of header fields, such as those of requests, aiohttp and `http.client`."""

    def items(self) -> Iterable[tuple[object, object]]:
        """Return names with values."""


#: Header fields of a response: a mapping, or pairs. A value may be a list of values.
HeaderFields: TypeAlias = HasItems | Iterable[tuple[object, object]]


def header_fields(headers: HeaderFields) -> list[tuple[str, str]]:
    """Return header fields as pairs, with names in lower case.

    >>> header_fields({b"Retry-After": [b"5"]}), header_fields([("Date", "today")])
    ([('retry-after', '5')], [('date', 'today')])
    """
    pairs: Iterable[tuple[object, object]] = headers.items() if hasattr(headers, "items") else headers
    fields = []
    for name, values in pairs:
        for value in values if isinstance(values, list | tuple) else (values,):
            fields.append((_text(name).lower(), _text(value).strip()))
    return fields


def _text(part: object) -> str:
    if isinstance(part, bytes):
        return part.decode("latin-1")
    if isinstance(part, str):
        return part
    raise InvalidArgument(f"invalid header {part!r:.200}: expected str or bytes", name="headers")


if TYPE_CHECKING:
    from httpx2._client import UseClientDefault as UseClientDefault
else:
    UseClientDefault = type(httpx2.USE_CLIENT_DEFAULT)

_Primitive: TypeAlias = str | int | float | bool | None

Auth: TypeAlias = tuple[str | bytes, str | bytes] | Callable[[httpx2.Request], httpx2.Request] | httpx2.Auth
Cert: TypeAlias = str | tuple[str, str] | tuple[str, str, str]
Cookies: TypeAlias = httpx2.Cookies | CookieJar | dict[str, str] | list[tuple[str, str]]
EventHooks: TypeAlias = Mapping[str, list[Callable[..., Any]]]
Headers: TypeAlias = (
    httpx2.Headers
    | Mapping[str, str]
    | Mapping[bytes, bytes]
    | Sequence[tuple[str, str]]
    | Sequence[tuple[bytes, bytes]]
)
Params: TypeAlias = (
    httpx2.QueryParams
    | Mapping[str, _Primitive | Sequence[_Primitive]]
    | list[tuple[str, _Primitive]]
    | tuple[tuple[str, _Primitive], ...]
    | str
    | bytes
)
Timeout: TypeAlias = (
    float | tuple[float | None, float | None, float | None, float | None] | httpx2.Timeout | None
)


#: The default limits of the connection pool, which are those of httpx2.
LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20)


class ClientOptions(TypedDict, total=False):
    """The options of `comity.Robot` that are those of `httpx2.Client`, in addition to the named ones.

    `auth` is the authentication of all requests, `params` are query parameters, `headers` header fields and
    `cookies` cookies for all of them. `max_redirects` is the maximum number of redirects of one request.
    `event_hooks` are functions that are called with each request or response. `base_url` is prepended to
    relative URLs. `default_encoding` is the encoding of text without a charset.
    """

    auth: Auth | None
    params: Params | None
    headers: Headers | None
    cookies: Cookies | None
    max_redirects: int
    event_hooks: EventHooks | None
    base_url: httpx2.URL | str
    default_encoding: str | Callable[[bytes], str | None]


class RequestOptions(TypedDict, total=False):
    """The options of one request for a page, which are those of `httpx2.Client.get`."""

    params: Params | None
    headers: Headers | None
    cookies: Cookies | None
    auth: Auth | None
    follow_redirects: bool
    timeout: Timeout
    extensions: Mapping[str, Any] | None


def check_names(
    given: Iterable[str], options: type[ClientOptions] | type[RequestOptions], function: Callable[..., object]
) -> None:
    """Raise `TypeError` for an option that is not one of `options`, and suggest the right name.

    `function` has the other parameters that the caller may have meant.

    >>> check_names(["timout"], RequestOptions, check_names)
    Traceback (most recent call last):
    TypeError: unknown option 'timout'; did you mean timeout?
    """
    for name in given:
        if name not in options.__annotations__:
            parameters = [each for each in inspect.signature(function).parameters if each != "self"]
            known = [*parameters, *options.__annotations__]
            close = get_close_matches(name, known, 1, cutoff=0.7)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {close[0]}?" if close else ""))


def check_client(
    function: Callable[..., object],
    client: ClientOptions,
    timeout: Timeout,
    limits: object,
    *,
    http2: bool = False,
) -> None:
    """Raise `TypeError` for an unknown option, and `InvalidArgument` for a limit that is not valid.

    `function` has the parameters that are not in `client`.

    >>> check_client(check_names, {}, -1, None)
    Traceback (most recent call last):
    comity.errors.InvalidArgument: invalid timeout -1: expected seconds, more than 0, or None for no limit
    """
    check_names(client, ClientOptions, function)
    if isinstance(timeout, tuple) and len(timeout) != 4:
        expected = "expected seconds to connect, read, write, and wait for a connection"
        raise InvalidArgument(f"invalid timeout {timeout!r:.200}: {expected}", name="timeout")
    if not isinstance(timeout, httpx2.Timeout):
        for step in timeout if isinstance(timeout, tuple) else (timeout,):
            seconds_of("timeout", step, is_limit=True, above_zero=True)
    if limits is not None and not isinstance(limits, httpx2.Limits):
        raise InvalidArgument(f"invalid limits {limits!r:.200}: expected httpx2.Limits", name="limits")
    if http2 and find_spec("h2") is None:
        raise InvalidArgument("http2=True needs the package h2; install it", name="http2")
    redirects = client.get("max_redirects", 0)
    if type(redirects) is not int or redirects < 0:
        raise InvalidArgument(
            f"invalid max_redirects {redirects!r:.200}: expected an int, 0 or more", name="max_redirects"
        )


def pool_limits(limits: httpx2.Limits | None) -> httpx2.Limits:
    """Return the limits of a pool: the default ones for None, and the default number of idle connections.

    A robot visits many origins, and the pool looks at each idle connection for each request.

    >>> pool_limits(httpx2.Limits(max_connections=None)).max_keepalive_connections
    20
    """
    if limits is None:
        return LIMITS
    if limits.max_keepalive_connections is not None:
        return limits
    return httpx2.Limits(
        max_connections=limits.max_connections,
        max_keepalive_connections=LIMITS.max_keepalive_connections,
        keepalive_expiry=limits.keepalive_expiry,
    )


def connections_of(transport: object, limits: httpx2.Limits | None = None) -> int | None:
    """Return how many connections a transport may have at a time, None for no limit.

    `limits` are those of the caller. Without them, the limits of a transport of httpx2 hold, and those of
    its default for any other transport.

    >>> connections_of(httpx2.HTTPTransport(limits=httpx2.Limits(max_connections=3))), connections_of(None)
    (3, 100)
    """
    if limits is not None:
        return limits.max_connections
    # httpx2 does not publish the limits of a transport.
    number = getattr(getattr(transport, "_pool", None), "_max_connections", None)
    return number if isinstance(number, int) else LIMITS.max_connections
