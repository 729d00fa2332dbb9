"""Clocks, locks and threads for async code, under any event loop.

`_sync.py` has the same names for code that runs in threads. Both files are written by hand.
"""

import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar, TypeVarTuple

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread

#: Whether the methods of this flavour are awaited.
AWAITED = True

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: Calls a coroutine function from any thread; see `caller`.
Caller = Callable[[Callable[[], Coroutine[object, object, None]]], None]


async def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a blocking function in a thread and return its result.

    If the caller is cancelled after the function has started, it still waits for the function, so that
    nothing continues behind its back. This holds for asyncio's own `cancel` too, which ignores the shields of
    anyio. The wait blocks the event loop for as long as one write to a file takes.
    """
    lock = threading.Lock()
    given_up = False
    over = threading.Event()
    started = False

    def call() -> _Result:
        nonlocal started
        with lock:
            if given_up:
                raise RuntimeError("the caller was cancelled")
            started = True
        try:
            return function(*arguments)
        finally:
            over.set()

    try:
        return await anyio.to_thread.run_sync(call)
    except BaseException:
        with lock:
            given_up = True
        if started:
            over.wait()
        raise


async def run_in_background(function: Callable[[], _Result]) -> _Result:
    """Return the result of a computation that would block the event loop. A cancelled caller abandons it."""
    return await anyio.to_thread.run_sync(function, abandon_on_cancel=True)


class Clock(Protocol):
    """A clock that a robot can use, such as `comity.testing.FakeClock`."""

    def time(self) -> float:
        """Return the time in seconds since 1970."""

    def sleep(self, seconds: float) -> Awaitable[object]:
        """Wait for a number of seconds."""


class SystemClock:
    """The clock of the system."""

    def time(self) -> float:
        """Return the time in seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds since some point in the past, for spans: a clock that is never set."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        await anyio.sleep(seconds)


def monotonic_of(clock: Clock) -> Callable[[], float]:
    """Return the function that measures spans by a clock: `monotonic` if the clock has it, else `time`."""
    function: Callable[[], float] = getattr(clock, "monotonic", clock.time)
    return function


class FifoLock:
    """A lock that is acquired in the order of the requests. Any task may release it."""

    def __init__(self) -> None:
        self._semaphore = anyio.Semaphore(1)

    @property
    def is_locked(self) -> bool:
        """Whether the lock is held."""
        return self._semaphore.value == 0

    def acquire_now(self) -> bool:
        """Acquire the lock if it is free. Return whether it was."""
        try:
            self._semaphore.acquire_nowait()
        except anyio.WouldBlock:
            return False
        return True

    async def acquire(self, seconds: float) -> bool:
        """Acquire the lock, waiting for at most `seconds`. Return whether it was acquired."""
        with anyio.move_on_after(seconds):
            await self._semaphore.acquire()
            return True
        return False

    def release(self) -> None:
        """Release the lock."""
        self._semaphore.release()


class FifoSlots:
    """A number of slots that are taken in the order of the requests. Any task may give one back."""

    def __init__(self, number: int) -> None:
        """Create the slots. The first use may be in an event loop that does not run yet."""
        self._semaphore = anyio.Semaphore(number)

    def take_now(self) -> bool:
        """Take a slot if one is free. Return whether one was."""
        try:
            self._semaphore.acquire_nowait()
        except anyio.WouldBlock:
            return False
        return True

    async def take(self, seconds: float) -> bool:
        """Take a slot, waiting for at most `seconds`. Return whether it was taken."""
        with anyio.move_on_after(seconds):
            await self._semaphore.acquire()
            return True
        return False

    def give_back(self) -> None:
        """Let the next request have a slot."""
        self._semaphore.release()


def caller() -> Caller:
    """Return a function that calls a coroutine function in the running event loop, from another thread.

    It raises an error if the event loop has ended.
    """
    token = anyio.lowlevel.current_token()
    return lambda function: anyio.from_thread.run(function, token=token)


def current_task_id() -> object:
    """Return an identifier of the running task."""
    return anyio.get_current_task().id


async def pause(seconds: float) -> None:
    """Wait for a number of real seconds."""
    await anyio.sleep(seconds)


def shielded() -> AbstractContextManager[object]:
    """Return a context in which the task is not cancelled."""
    return anyio.CancelScope(shield=True)
