# Generated from _async/connections.py by `make generate`; change that file.
"""The connections of one client: a request takes one before its lease, and gives it back with its response.

If a request waited for a connection while it has the lease of its origin, no other client of the store could
use that origin meanwhile, and the lease could expire.
"""

from ..concurrency._sync import FifoSlots

#: A larger limit has no effect: no process can have so many connections.
_ENDLESS = 1_000_000


class Connections:
    """The connections that the requests of one client may use at a time.

    Each is identified by the holder of the lease that it belongs to.
    """

    def __init__(self, number: int | None) -> None:
        """Allow a number of connections; None for no limit."""
        self._slots = None if number is None or number > _ENDLESS else FifoSlots(number)
        self._holders: set[str] = set()

    def take(self, holder: str, seconds: float) -> bool:
        """Wait for a connection for at most `seconds`. Return whether the holder has one now."""
        if self._slots is None or seconds <= 0 or not self._slots.take(seconds):
            return False
        self._holders.add(holder)
        return True

    def take_now(self, holder: str) -> bool:
        """Acquire a connection if one is free. Return whether the holder has one now."""
        if self._slots is None or holder in self._holders:
            return True
        if not self._slots.take_now():
            return False
        self._holders.add(holder)
        return True

    def give_back(self, holder: str) -> None:
        """Free the connection of a holder, if it has one, for another request."""
        if self._slots is not None:
            try:
                self._holders.remove(holder)
            except KeyError:
                return
            self._slots.give_back()
