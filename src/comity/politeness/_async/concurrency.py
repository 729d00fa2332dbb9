"""Clocks, locks and threads for async code, under any event loop.

`_sync/concurrency.py` has the same names for code that runs in threads. Both files are written by hand.
"""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread

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
AWAITED = True

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")


async def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function that blocks where it blocks nobody else, and give its result.

    A caller that is cancelled still waits for the function if it has begun, so that nothing goes on behind
    its back, whoever cancels: asyncio's own `cancel` passes anyio's shields. The wait blocks the event
    loop, for as long as one write to a file takes.
    """
    lock = threading.Lock()
    given_up = False
    over = threading.Event()
    begun = False

    def call() -> _Result:
        nonlocal begun
        with lock:
            if given_up:
                raise RuntimeError("nobody waits for this call any more")
            begun = True
        try:
            return function(*arguments)
        finally:
            over.set()

    try:
        return await anyio.to_thread.run_sync(call)
    except BaseException:
        with lock:
            given_up = True
        if begun:
            over.wait()
        raise


async def aside(function: Callable[[], _Result]) -> _Result:
    """Compute something that takes its time where it keeps nobody waiting; whoever is cancelled leaves it."""
    return await anyio.to_thread.run_sync(function, abandon_on_cancel=True)


class Clock:
    """The time, and how to wait for it; another one with the same methods may stand in for it."""

    def time(self) -> float:
        """Give the seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Let others run for some seconds."""
        await anyio.sleep(seconds)


class Gate:
    """Lets one through at a time, in the order in which they came; anybody may open it again."""

    def __init__(self) -> None:
        """Begin open."""
        self._semaphore = anyio.Semaphore(1)

    @property
    def busy(self) -> bool:
        """Whether somebody is through."""
        return self._semaphore.value == 0

    def pass_now(self) -> bool:
        """Pass the gate if it is open; say whether it was."""
        try:
            self._semaphore.acquire_nowait()
        except anyio.WouldBlock:
            return False
        return True

    async def acquire(self, seconds: float) -> bool:
        """Wait for so many seconds at most; say whether the gate was passed."""
        with anyio.move_on_after(seconds):
            await self._semaphore.acquire()
            return True
        return False

    def release(self) -> None:
        """Let the next one through."""
        self._semaphore.release()


def me() -> object:
    """Name the task that is running."""
    return anyio.get_current_task().id


def shielded() -> AbstractContextManager[object]:
    """Finish what is begun, though the task is cancelled."""
    return anyio.CancelScope(shield=True)
