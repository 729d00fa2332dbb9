"""The requests of reppy, which the package requests sends. It is imported on first use."""

import time
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from .exceptions import (
    ConnectionException,
    ExcessiveRedirects,
    MalformedUrl,
    ReadTimeout,
    ReppyException,
    SSLException,
)

#: Size of a piece of a body in bytes, where the client can return less than it was asked for, and elsewhere.
_PIECE, _SMALL_PIECE = 65_536, 1024


def requests_package() -> ModuleType:
    """Return the package requests; raises `ImportError` if it is not installed."""
    try:
        import requests
    except ImportError as error:
        raise ImportError(
            "comity.compat.reppy: the package requests is missing; install it with `pip install requests`",
            name="requests",
        ) from error
    return requests


def translated(error: Exception) -> ReppyException | None:
    """Return the exception of reppy for one of requests; None for any other exception."""
    names = requests_package().exceptions
    malformed = (names.URLRequired, names.MissingSchema, names.InvalidSchema, names.InvalidURL)
    for original, kind in (
        (names.SSLError, SSLException),
        (names.ConnectionError, ConnectionException),
        (malformed, MalformedUrl),
        (names.TooManyRedirects, ExcessiveRedirects),
        (names.ReadTimeout, ReadTimeout),
    ):
        if isinstance(error, original):
            return kind(error)
    return None


def requested(client: Any, url: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the response of `client.get`, a function of requests or a method of its sessions.

    The bodies of redirects are not received: requests would read all of them, without a limit.
    """
    hooks = dict(kwargs.get("hooks") or {})
    given = hooks.get("response") or ()
    hooks["response"] = [*((given,) if callable(given) else given), _drop_redirect]
    return client.get(url, *args, **{**kwargs, "hooks": hooks, "stream": True})


def _drop_redirect(response: Any, **_: object) -> None:
    if response.is_redirect:
        response.close()


def body_of(response: Any, limit: int, timeout: object) -> bytes:
    """Return at most `limit` bytes of the body of a response, without content codings.

    `timeout` is that of the request: seconds for each step, or two numbers. The whole body may take that long
    too. Raises `ReadTimeout`, and `ConnectionException` for a body that cannot be read.
    """
    from urllib3.exceptions import HTTPError, ReadTimeoutError  # a dependency of requests

    deadline = time.monotonic() + _seconds(timeout)
    content = bytearray()
    raw = response.raw
    try:
        while len(content) < limit:
            wanted = limit - len(content)
            if hasattr(raw, "read1"):
                piece = raw.read1(min(_PIECE, wanted), decode_content=True)
            else:  # urllib3 before 2.2
                piece = raw.read(min(_SMALL_PIECE, wanted), decode_content=True)
            if not piece:
                break
            content += piece
            if time.monotonic() > deadline:
                raise ReadTimeout(f"the body took longer than {_seconds(timeout):g} seconds")
    except ReadTimeoutError as error:
        raise ReadTimeout(error) from error
    except HTTPError as error:
        raise ConnectionException(error) from error
    return bytes(content)


def _seconds(timeout: object) -> float:
    """Return the seconds of a timeout of requests; infinity for none."""
    if isinstance(timeout, (tuple, list)):
        timeout = timeout[-1]
    return float(timeout) if isinstance(timeout, (int, float)) else float("inf")
