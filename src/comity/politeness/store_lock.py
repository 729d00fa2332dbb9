"""The lock of a store, which a signal handler or a finalizer cannot wait for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import StoreUnavailable


class StoreLock:
    """A lock for the threads of a process: `with lock.operation()`.

    A signal handler may interrupt the thread that holds the lock. It cannot wait, because that thread would
    never continue, and it cannot see a half-made change. So it gets `StoreUnavailable`.
    """

    def __init__(self) -> None:
        #: the lock that other threads wait for
        self.threads = threading.RLock()
        #: whether the thread that has the lock is in the middle of an operation
        self.is_busy: bool = False

    @contextmanager
    def operation(self) -> Iterator[None]:
        """Hold the lock for one operation. Raises `StoreUnavailable` in the middle of another one.

        This is a generator, so that the lock is released too if a signal comes just after the block.
        """
        with self.threads:
            if self.is_busy:
                raise interrupted()
            self.is_busy = True
            try:
                yield
            finally:
                self.is_busy = False

    def acquire(self) -> bool:
        """Acquire the lock. Return whether an operation of this thread was interrupted."""
        self.threads.acquire()
        return self.is_busy

    def release(self) -> None:
        """Release the lock after `acquire`."""
        self.threads.release()


def interrupted() -> StoreUnavailable:
    """Return the error of a signal handler or a finalizer that has interrupted an operation."""
    return StoreUnavailable(
        "the store is busy: this is a signal handler or a finalizer, and the store was interrupted;"
        " use it after the handler"
    )
