"""Clocks and locks for code that runs in threads.

`_async/concurrency.py` has the same names for async code. Both files are written by hand.
"""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar, TypeVarTuple

__all__ = [
    "AWAITED",
    "Clock",
    "Gate",
    "aside",
    "in_thread",
    "me",
    "shielded",
]

#: Are the methods of this flavour awaited?
AWAITED = False

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")


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
