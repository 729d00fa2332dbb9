"""Locks on files, which exclude other processes, and other open files of the same path."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress

#: Longest wait in seconds for another process, which holds the lock for a fraction of a millisecond.
PATIENCE = 10.0

#: Pause in seconds between two attempts.
_PAUSE = 0.001

if sys.platform == "win32":
    import msvcrt
    import os

    #: A byte that no log reaches; locking it excludes other processes.
    _LOCKED = 1 << 62

    def _acquire(file: int, operation: int) -> None:
        os.lseek(file, _LOCKED, os.SEEK_SET)
        msvcrt.locking(file, operation, 1)

    _TRY = msvcrt.LK_NBLCK

    def unlock(file: int) -> None:
        """Release the lock."""
        os.lseek(file, _LOCKED, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    _BUSY: tuple[type[OSError], ...] = (PermissionError, OSError)

else:
    import fcntl

    _acquire = fcntl.flock
    _TRY = fcntl.LOCK_EX | fcntl.LOCK_NB

    def unlock(file: int) -> None:
        """Release the lock."""
        try:  # noqa: SIM105  # `suppress` takes longer than the call
            fcntl.flock(file, fcntl.LOCK_UN)
        except OSError:
            pass

    _BUSY = (BlockingIOError,)


def lock(
    file: int,
    path: object,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Acquire the lock of an open file. Raise `TimeoutError` if another process holds it too long.

    A file system without locks is used without them: then only one process should write to the log.
    """
    try:
        _acquire(file, _TRY)
    except _BUSY:
        _wait(file, path, clock, sleep)
    except OSError:
        pass


def try_lock(file: int) -> bool:
    """Acquire the lock of an open file if it is free. Return whether it was.

    A file system without locks counts as free.
    """
    try:
        _acquire(file, _TRY)
    except _BUSY:
        return False
    except OSError:
        pass
    return True


def _wait(file: int, path: object, clock: Callable[[], float], sleep: Callable[[float], object]) -> None:
    end = clock() + PATIENCE
    while True:
        sleep(_PAUSE)
        try:
            _acquire(file, _TRY)
        except _BUSY:
            if clock() >= end:
                raise TimeoutError(110, "the file is locked by another process", str(path)) from None
        else:
            return
