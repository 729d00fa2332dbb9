"""How requests are sent, and with which deadline, in code that runs in threads.

`_async/sending.py` has the same names for async code. Both files are written by hand.
"""

import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, TypeVarTuple

import httpx2

from ...politeness.origin_state import AgentRules
from ..credentials import Credentials

#: Timeout in seconds for a call to end after its connection was cut.
_AFTER_CUT = 1.0

#: Time in seconds for which a thread waits for another call.
_IDLE_TIME = 5.0

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: A call that is made later.
Deferred = Callable[[], _Result]

#: Sends one request and follows no redirect, as the method of a transport does.
Send = Callable[[httpx2.Request], httpx2.Response]

#: Called with each request before it is sent; may raise to refuse it.
Prepare = Callable[[httpx2.Request], None]

#: Sends a request as a client does, redirects included, and leaves the body to be read.
Fetch = Callable[..., httpx2.Response]

#: Returns a URL as it is judged, and the rules for it; with the credentials for its robots.txt.
RulesOf = Callable[[httpx2.URL, Credentials | None], tuple[str, AgentRules]]


class _Connections:
    """The connections that a request opens. Another thread can cut them while one thread waits for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        self._is_cut = False

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record a connection that the client has opened; this is its extension `trace`."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            with self._lock:
                self._streams.append(info["return_value"])
                if self._is_cut:
                    _cut(info["return_value"])

    def cut(self) -> None:
        """End all connections, so that a thread that reads from one of them sees its end."""
        with self._lock:
            self._is_cut = True
            for stream in self._streams:
                _cut(stream)


def _cut(stream: Any) -> None:
    """End a connection of httpcore2 for the thread that reads it. That thread closes it then.

    If this thread closed it, its file descriptor could be reused for another connection, and the other
    thread would go on reading from that one.
    """
    stream.read = _raise_connection_cut  # otherwise the thread could read on from a stream that never ends
    opened = stream.get_extra_info("socket")
    if isinstance(opened, socket.socket):
        with suppress(OSError):  # already closed, or passed on to TLS
            # Not the shutdown of the TLS socket: it would disturb the thread that reads.
            socket.socket.shutdown(opened, socket.SHUT_RDWR)


def _raise_connection_cut(*_: object, **__: object) -> bytes:
    raise ConnectionAbortedError("the connection was cut")


class _Worker:
    """A thread for one call at a time. It is used again: to start a thread costs more than most calls."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def start(self, call: Callable[[], None]) -> threading.Lock:
        """Start a call that raises no error. Return a lock that is released when it has ended."""
        ended = threading.Lock()
        ended.acquire()

        def call_and_report() -> None:
            call()
            _idle.append(self)  # first, so that the next call of the waiting thread finds it
            ended.release()

        self._calls.put(call_and_report)
        return ended

    def _run(self) -> None:
        while True:
            try:
                self._calls.get(timeout=_IDLE_TIME)()
            except Empty:
                try:
                    _idle.remove(self)
                except ValueError:  # another thread has taken it and will start a call
                    continue
                return


#: The workers without a call. Its operations are atomic, so a signal handler may interrupt them.
_idle: deque[_Worker] = deque()

if hasattr(os, "register_at_fork"):  # not on Windows; a forked process has none of the threads
    os.register_at_fork(after_in_child=_idle.clear)


def _worker() -> _Worker:
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()


def with_deadline(
    seconds: float,
    request: httpx2.Request,
    function: Callable[[httpx2.Request, *_Args], _Result],
    *arguments: *_Args,
) -> _Result:
    """Call a function that sends a request. Raise `TimeoutError` if it takes more than `seconds`.

    The timeout of a socket starts again with each byte. A server that sends a byte now and then would
    occupy a thread and a connection of the client for ever. So the function runs in another thread.
    If it takes too long, its connection is cut, which ends the call.
    """
    results: list[_Result] = []
    failures: list[BaseException] = []
    connections = _Connections()
    request.extensions = {**request.extensions, "trace": connections.trace}

    def call() -> None:
        try:
            results.append(function(request, *arguments))
        except BaseException as failure:  # raised below, in the thread that waits
            failures.append(failure)

    ended = _worker().start(call)
    try:
        if not ended.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
            raise TimeoutError(f"it takes more than {seconds:g} s")  # not the error of the cut connection
    except BaseException:
        connections.cut()
        ended.acquire(
            timeout=_AFTER_CUT
        )  # it ends the lease of its request, before the caller closes the store
        raise
    if failures:
        raise failures[0]
    return results[0]
