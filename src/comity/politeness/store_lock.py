"""The lock of a store, which a signal handler or a finalizer cannot wait for."""

import threading
from types import TracebackType
from typing import Self

from ..errors import StoreUnavailable


class StoreLock:
    """A lock for the threads of a process: `with lock`.

    A signal handler may interrupt the thread that holds the lock. It cannot wait, because that thread would
    never continue, and it cannot see a half-made change. So it gets `StoreUnavailable`.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_busy = False

    def __enter__(self) -> Self:
        self._lock.acquire()
        if self._is_busy:
            self._lock.release()
            raise StoreUnavailable(
                "the store is busy: this is a signal handler or a finalizer, and the store was interrupted;"
                " use it after the handler"
            )
        self._is_busy = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_busy = False
        self._lock.release()

    def acquire(self) -> bool:
        """Acquire the lock. Return whether an operation of this thread was interrupted."""
        self._lock.acquire()
        return self._is_busy

    def release(self) -> None:
        """Release the lock after `acquire`."""
        self._lock.release()
