"""What async code asks of its event loop, whichever it is; `_sync/running.py` has the same by threads."""

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread

__all__ = ["Lock", "in_thread", "sleep"]

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: One task at a time: `async with lock:`.
Lock = anyio.Lock


async def sleep(seconds: float) -> None:
    """Let others run for some seconds."""
    await anyio.sleep(seconds)


async def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function that blocks where it blocks nobody else, and give its result.

    A caller that is cancelled still waits for the function, so that nothing goes on behind its back.
    """
    return await anyio.to_thread.run_sync(function, *arguments)
