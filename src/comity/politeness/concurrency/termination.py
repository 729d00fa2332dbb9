"""The end of a process by SIGTERM, whose default action would leave its leases behind.

While a client with a shared store is open, a handler releases its leases and then lets the default action end
the process. It is installed only in the main thread, and only in place of the default action: a program with
a handler of its own closes its clients itself. The handler only starts a thread, because the signal may have
interrupted an operation of the store, which has to continue first.
"""

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Protocol, TypeVarTuple
from weakref import WeakSet

_Args = TypeVarTuple("_Args")


def start_thread(function: Callable[[*_Args], None], *arguments: *_Args) -> bool:
    """Call a function in a new thread, which ends with the process. Return whether it could be started."""
    try:
        _thread.start_new_thread(function, arguments)
    except RuntimeError:  # the interpreter is ending, or the system has no more threads
        return False
    return True


#: Maximum time in seconds between SIGTERM and the end of the process.
GRACE = 3.0

#: Time in seconds that the system takes to end a process and its connections.
END = 0.1


class LeaseOwner(Protocol):
    """A client whose leases are released when the process ends."""

    def release_all(self) -> None:
        """Release all leases, and acquire no others."""


_owners: "WeakSet[LeaseOwner]" = WeakSet()


def register(owner: LeaseOwner) -> None:
    """Release the leases of a client on SIGTERM, until `unregister` is called or it is garbage."""
    _owners.add(owner)
    if _is_handled_by(signal.SIG_DFL):
        signal.signal(signal.SIGTERM, _handle)


def unregister(owner: LeaseOwner) -> None:
    """Forget a client. After the last one, SIGTERM has its default action again."""
    _owners.discard(owner)
    if not _owners and _is_handled_by(_handle):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _is_handled_by(handler: object) -> bool:
    """Return whether SIGTERM has this handler, and this thread could set another one."""
    return (
        sys.platform != "win32"
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) == handler
    )


def _handle(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not start_thread(_end):
        os.kill(os.getpid(), signal.SIGTERM)


def _end() -> None:
    """Release the leases of all clients, and end the process."""
    try:
        deadline = time.monotonic() + GRACE
        for ended in [_start_release(owner) for owner in _all_owners()]:
            ended.wait(max(deadline - time.monotonic(), 0.0))
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1.0)
        os._exit(128 + signal.SIGTERM)  # the first process of a container ignores the default action


def _all_owners() -> list[LeaseOwner]:
    while True:
        with suppress(RuntimeError):  # another thread has just changed the set
            return list(_owners)


def _start_release(owner: LeaseOwner) -> threading.Event:
    """Release the leases of a client in a thread of its own. Return the event of its end."""
    ended = threading.Event()

    def release() -> None:
        with suppress(BaseException):  # nobody would receive it, and the process ends
            owner.release_all()
        ended.set()

    if not start_thread(release):
        ended.set()
    return ended


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_owners.clear)  # the leases are those of the parent
