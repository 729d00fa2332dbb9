"""Threads that signal handlers and finalizers can start: `threading.Thread` takes a lock to start."""

import _thread
from collections.abc import Callable
from typing import TypeVarTuple

_Args = TypeVarTuple("_Args")


def start_thread(function: Callable[[*_Args], None], *arguments: *_Args) -> bool:
    """Call a function in a new thread, which ends with the process. Return whether it could be started."""
    try:
        _thread.start_new_thread(function, arguments)
    except RuntimeError:  # the interpreter is ending, or the system has no more threads
        return False
    return True
