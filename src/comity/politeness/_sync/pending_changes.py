# Generated from _async/pending_changes.py by `make generate`; change that file.
"""The changes that a store did not accept because it was unavailable: kept in memory, and repeated.

A response is not lost because its lease could not be released, and a robots.txt not because it could not be
stored. The change is repeated before the next lease is acquired from the store, in the background for about
two minutes, and when the client is closed. All clients of one store in a process share its changes.
"""

import logging
import os
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Protocol, cast
from weakref import WeakKeyDictionary

from ...errors import StoreUnavailable
from ...protocol.access.outcome import Access
from ...protocol.text import counted
from ..concurrency._sync import Caller
from ..concurrency.termination import start_thread
from ..stores import CombinedSteps, Store

#: Seconds before each attempt in the background. After the last one, all leases have expired.
_ATTEMPTS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 30.0)

#: Seconds within which a request counts as ended now.
_AT_ONCE = 0.001

_logger = logging.getLogger("comity.robot")


class Change(Protocol):
    """A change of a store that can be repeated. `is_lease` says whether it concerns a lease."""

    is_lease: bool

    def make(self, store: Store) -> None:
        """Make the change. Raises `StoreUnavailable`."""


class Release:
    """The release of a lease. The gap is kept from the end of its request, however late it is made."""

    is_lease = True

    def __init__(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None,
        response_time: float | None = None,
        access: Access | None = None,
    ) -> None:
        """Describe a request that ends now; `now` is the time of a clock that is not the store's, or None.

        `access` is an answer to store in the same step, only for a store with `CombinedSteps`.
        """
        self._host = host
        self._holder = holder
        self._now = now
        self._status = status
        self._retry_after = retry_after
        self._response_time = response_time
        self._access = access
        self._ended = time.monotonic()

    def make(self, store: Store) -> None:
        """Release the lease in the store."""
        ago = time.monotonic() - self._ended if self._now is None else 0.0
        ago = ago if ago > _AT_ONCE else 0.0
        outcome = self._host, self._holder, self._now, self._status, self._retry_after
        if self._access is None:
            store.release(*outcome, ago=ago, response_time=self._response_time)
        else:
            steps = cast(CombinedSteps, store)
            steps.save_and_release(self._access, *outcome, ago=ago, response_time=self._response_time)

    def parts(self) -> "tuple[Change, ...]":
        """Return the changes to repeat: an answer is then stored by itself, unless there is a later one."""
        if self._access is None:
            return (self,)
        save, self._access = Save(self._access), None
        return save, self


class Save:
    """The answer to a request for a robots.txt."""

    is_lease = False

    def __init__(self, access: Access) -> None:
        self._access = access

    def make(self, store: Store) -> None:
        """Save the answer, unless the store has a later one."""
        stored = store.load(self._access.origin)
        if stored is None or stored.checked < self._access.checked:
            store.save(self._access)


class PendingChanges:
    """The changes that a store has yet to make."""

    def __init__(self, store: Store) -> None:
        self._store = store
        #: the changes to make, in order
        self.changes: deque[Change] = _changes_of(store)
        self._is_closed = threading.Event()
        self._is_repeating = False

    def add(self, change: Change, caller: Caller | None) -> None:
        """Keep a change, and repeat it in the background if there is a `caller`.

        A finalizer may call this: it takes no lock.
        """
        self.changes.append(change)
        if caller is not None and not self._is_repeating and not self._is_closed.is_set():
            self._is_repeating = start_thread(self._repeat_often, caller)

    def repeat(self) -> None:
        """Make the changes. Raises `StoreUnavailable` if a lease still cannot be released."""
        for _ in range(len(self.changes)):
            try:
                change = self.changes.popleft()
            except IndexError:  # another task makes the rest
                return
            try:
                change.make(self._store)
            except StoreUnavailable:
                self.changes.append(change)
                if change.is_lease:
                    raise
            except BaseException:  # cancelled, when the store may have made it already
                self.changes.append(change)
                raise

    def close(self) -> None:
        """Make the changes a last time, and end the attempts in the background."""
        self._is_closed.set()
        if self.changes:
            with suppress(StoreUnavailable):
                self.repeat()
        if self.changes:
            _logger.warning(
                "the store is unavailable: %s not made",
                counted(len(self.changes), "change is", "changes are"),
            )

    def _repeat_often(self, caller: Caller) -> None:
        """Repeat the changes until the store has made them or the client is closed."""
        try:
            for seconds in _ATTEMPTS:
                if self._is_closed.wait(seconds):
                    return
                with suppress(StoreUnavailable):
                    caller(self.repeat)
                if not self.changes:
                    return
        except BaseException:  # the event loop has ended
            return
        finally:
            self._is_repeating = False


#: The changes of each store, which all its clients share.
_changes: WeakKeyDictionary[Store, deque[Change]] = WeakKeyDictionary()


def _leave_to_parent() -> None:
    for changes in list(_changes.values()):
        changes.clear()


if hasattr(os, "register_at_fork"):  # not on Windows; before new clients are created
    os.register_at_fork(after_in_child=_leave_to_parent)


def _changes_of(store: Store) -> deque[Change]:
    try:
        return _changes.setdefault(store, deque())
    except TypeError:  # a store whose class has `__slots__` or `__eq__`
        return deque()
