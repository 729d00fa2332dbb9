"""What sync code asks of its threads: the names of `_async/running.py`, without an event loop."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

__all__ = ["Lock", "in_thread", "sleep"]

_Args = TypeVarTuple("_Args")
_Result = TypeVar("_Result")

#: One thread at a time: `with lock:`.
Lock = threading.Lock


def sleep(seconds: float) -> None:
    """Let others run for some seconds."""
    time.sleep(seconds)


def in_thread(function: Callable[[*_Args], _Result], *arguments: *_Args) -> _Result:
    """Call a function, and give its result: a thread that blocks blocks nobody else."""
    return function(*arguments)
