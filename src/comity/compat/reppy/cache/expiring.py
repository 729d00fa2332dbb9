"""An object that expires."""

import threading
import time
from collections.abc import Callable
from typing import Any


class ExpiringObject:
    """An object that a factory creates again when it has expired.

    Threads wait for one call of the factory.

    >>> ExpiringObject(lambda: (time.time() + 60, "a file")).get()
    'a file'
    """

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        """Store the `factory`. It returns when the object expires, and the object or an exception."""
        self.factory = factory
        self.expires: float = 0.0
        self.obj: Any = None
        self._lock = threading.Lock()

    def get(self) -> Any:
        """Return the object, or raise the exception."""
        with self._lock:
            if self.obj is None or time.time() >= self.expires:
                self.expires, self.obj = self.factory()
            found = self.obj
        if isinstance(found, BaseException):
            raise found
        return found
