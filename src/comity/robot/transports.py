"""The checks of transports and requests that a caller passes: they must be those of httpx2."""

import httpx2

from ..errors import InvalidArgument


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
