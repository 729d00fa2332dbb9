"""What sync code asks of its threads: the names of `_async/running.py`, without an event loop."""

import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    import httpx2  # which a store that is used alone does not need

__all__ = [
    "AWAITED",
    "Clock",
    "Fetch",
    "Gate",
    "Prepare",
    "Send",
    "aside",
    "in_thread",
    "me",
    "shielded",
    "within",
]

#: Are the methods of this flavour awaited?
AWAITED = False

#: Timeout in seconds for a thread to end after its connection was cut.
_AFTER_CUT = 1.0

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: What sends one request and follows nothing: the method of a transport.
Send: TypeAlias = "Callable[[httpx2.Request], httpx2.Response]"

#: What is done before a request is sent.
Prepare: TypeAlias = "Callable[[httpx2.Request], None]"

#: What sends a request as a client does, redirects and all, and leaves the body to be read.
Fetch: TypeAlias = "Callable[..., httpx2.Response]"


def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function, and give its result: a thread that blocks blocks nobody else."""
    return function(*arguments)


def aside(function: Callable[[], _Result]) -> _Result:
    """Compute something that takes its time: a thread that does keeps no other waiting."""
    return function()


class Clock:
    """The time, and how to wait for it; another one with the same methods may stand in for it."""

    def time(self) -> float:
        """Give the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Let others run for some seconds."""
        time.sleep(seconds)


class Gate:
    """Lets one through at a time; anybody may open it again."""

    def __init__(self) -> None:
        """Begin open."""
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether somebody is through."""
        return self._lock.locked()

    def pass_now(self) -> bool:
        """Pass the gate if it is open; say whether it was."""
        return self._lock.acquire(blocking=False)

    def acquire(self, seconds: float) -> bool:
        """Wait for so many seconds at most; say whether the gate was passed."""
        return self._lock.acquire(timeout=min(seconds, threading.TIMEOUT_MAX))

    def release(self) -> None:
        """Let the next one through."""
        self._lock.release()


def me() -> object:
    """Name the thread that is running."""
    return threading.get_ident()


def shielded() -> AbstractContextManager[object]:
    """Do nothing: a thread is not cancelled."""
    return nullcontext()


class _Line:
    """The connections that a request opens, to be cut by another thread than the one that waits for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        self._is_cut = False

    def heard(self, event: str, info: Mapping[str, Any]) -> None:
        """Take what the client tells of its doings, by the extension `trace`."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            with self._lock:
                self._streams.append(info["return_value"])
                if self._is_cut:
                    _cut(info["return_value"])

    def cut(self) -> None:
        """Let whoever waits for the server see the end of the connection."""
        with self._lock:
            self._is_cut = True
            for stream in self._streams:
                _cut(stream)


def _cut(stream: Any) -> None:
    """End a connection of httpcore2 for the thread that reads it, which closes it then.

    To close it here would free its number for another connection, which that thread would go on to read.
    """
    stream.read = _read_no_more  # or else it could still read what comes after the end, which may not end
    opened = stream.get_extra_info("socket")
    if isinstance(opened, socket.socket):
        with suppress(OSError):  # closed already, or handed on to TLS
            socket.socket.shutdown(opened, socket.SHUT_RDWR)  # TLS's own would disturb the other thread


def _read_no_more(*_: object, **__: object) -> bytes:
    raise ConnectionAbortedError("the connection was cut")


def within(
    seconds: float,
    request: "httpx2.Request",
    function: "Callable[[httpx2.Request, *_Args], _Result]",
    *arguments: *_Args,
) -> _Result:
    """Call a function that sends a request, or raise `TimeoutError` after so many seconds.

    A socket's own timeout begins anew with each octet, so a server that sends one now and then would hold
    a thread for ever, and one of the client's connections. The function has a thread of its own; if that
    takes too long, its connection is cut, and it ends.
    """
    results: list[_Result] = []
    failures: list[BaseException] = []
    line = _Line()
    request.extensions = {**request.extensions, "trace": line.heard}

    def call() -> None:
        try:
            results.append(function(request, *arguments))
        except BaseException as failure:  # raised below, where it is waited for
            failures.append(failure)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    try:
        thread.join(seconds)
        if thread.is_alive():  # what it fails by when its connection is cut tells nothing
            raise TimeoutError(f"it takes more than {seconds:g} s")
    except BaseException:
        line.cut()
        thread.join(_AFTER_CUT)  # it ends the lease of its request, before the caller closes the store
        raise
    if failures:
        raise failures[0]
    return results[0]
