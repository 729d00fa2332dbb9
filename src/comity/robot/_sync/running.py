"""What sync code asks of its threads: the names of `_async/running.py`, without an event loop."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeAlias, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    import httpx2  # which a store that is used alone does not need

__all__ = ["Clock", "Gate", "Lock", "Send", "in_thread", "shielded", "sleep", "within"]

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: What sends one request and follows nothing: the method of a transport.
Send: TypeAlias = "Callable[[httpx2.Request], httpx2.Response]"

#: One thread at a time: `with lock:`.
Lock = threading.Lock


def sleep(seconds: float) -> None:
    """Let others run for some seconds."""
    time.sleep(seconds)


def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function, and give its result: a thread that blocks blocks nobody else."""
    return function(*arguments)


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


def shielded() -> AbstractContextManager[object]:
    """Do nothing: a thread is not cancelled."""
    return nullcontext()


def within(seconds: float, function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function and give its result, or raise `TimeoutError` after so many seconds.

    A socket's own timeout begins anew with each octet, so a server that sends one now and then would hold
    a thread for ever. The function has a thread of its own, which is left behind if it takes too long,
    and ends when its server does.
    """
    results: list[_Result] = []
    failures: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function(*arguments))
        except BaseException as failure:  # raised below, where it is waited for
            failures.append(failure)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
    if not results:
        raise TimeoutError(f"it takes more than {seconds:g} s")
    return results[0]
