"""What kind of failure an HTTP client reports, in the words of `Cause`."""

import socket
import ssl
from collections.abc import Iterator

import httpx2

from ..protocol.access.outcome import Cause

__all__ = ["FAULTS", "cause_of", "is_silence", "said_by", "was_sent"]

#: What sending a request raises where a server, the network or its own URL is at fault. Not all of it has
#: become an error of the client's own: `ssl` speaks up in the middle of a body, and the resolver by
#: `UnicodeError` of a name whose parts are too long.
FAULTS = (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError)

#: What the error of a socket says.
_BY_ERROR: tuple[tuple[type[BaseException], Cause], ...] = (
    (socket.gaierror, Cause.DNS),
    (UnicodeError, Cause.DNS),
    (ssl.SSLError, Cause.TLS),
    (ConnectionRefusedError, Cause.REFUSED),
    (ConnectionError, Cause.RESET),
)

#: What stands behind an error by chance: in these words a TLS library asks for more octets.
_PASSING = (TimeoutError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

#: What the client's own error says, where no socket's error stands behind it.
_BY_KIND: tuple[tuple[type[BaseException], Cause], ...] = (
    (httpx2.ReadError, Cause.RESET),
    (httpx2.WriteError, Cause.RESET),
    (httpx2.RemoteProtocolError, Cause.PROTOCOL_ERROR),
    (httpx2.UnsupportedProtocol, Cause.NOT_FETCHABLE),
    (httpx2.InvalidURL, Cause.NOT_FETCHABLE),
    (httpx2.LocalProtocolError, Cause.NOT_FETCHABLE),
)


#: Failures that come before anything is sent.
_UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.LocalProtocolError,
    httpx2.UnsupportedProtocol,
)


def cause_of(failure: BaseException) -> Cause:
    """Say why no whole response came.

    >>> cause_of(httpx2.ConnectTimeout("too late"))
    Cause.TIMEOUT
    """
    if isinstance(failure, (httpx2.TimeoutException, TimeoutError)):
        return Cause.TIMEOUT
    for error in _behind(failure):
        for kind, cause in _BY_ERROR:
            if isinstance(error, kind) and not isinstance(error, _PASSING):
                return cause
    return next((cause for kind, cause in _BY_KIND if isinstance(failure, kind)), Cause.NETWORK)


def is_silence(failure: BaseException) -> bool:
    """Say whether it is the server that did not answer, and not we who did not ask."""
    if isinstance(failure, (httpx2.PoolTimeout, httpx2.LocalProtocolError, httpx2.UnsupportedProtocol)):
        return False
    return isinstance(failure, (httpx2.TransportError, OSError))


def was_sent(failure: BaseException) -> bool:
    """Say whether a request can have reached the server before it failed.

    >>> was_sent(httpx2.ReadTimeout("")), was_sent(httpx2.ConnectError(""))
    (True, False)
    """
    return not isinstance(failure, _UNSENT)


def said_by(failure: BaseException) -> str:
    """Give the words of an error, or its name if it has none.

    >>> said_by(TimeoutError())
    'TimeoutError'
    """
    return str(failure) or type(failure).__name__


def _behind(failure: BaseException) -> Iterator[BaseException]:
    """Give an error and those that it was raised from."""
    error: BaseException | None = failure
    for _ in range(8):
        if error is None:
            return
        yield error
        if isinstance(error, BaseExceptionGroup):  # of several addresses that were tried
            yield from error.exceptions
        error = error.__cause__ or error.__context__
