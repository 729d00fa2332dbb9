# Generated from _async/memory.py by `make generate`; change that file.
"""The store in memory, for one process."""

import os
import time
from collections import OrderedDict
from typing import Self
from weakref import WeakSet

from ....protocol.access.outcome import Access
from ... import pace
from ...pace import LEASE, UNVISITED, Delay, Lease, Pace, Wait
from ...store_lock import StoreLock, interrupted

#: The stores of this process, which a forked process renews.
_stores: "WeakSet[MemoryStore]" = WeakSet()


def _renew_stores() -> None:
    for store in list(_stores):
        store._renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_stores)


class MemoryStore:
    """A store in memory, for all threads and tasks of one process.

    It holds the answers that were used last, at most `max_origins` (10,000) with bodies of at most
    `max_bytes` in total (256 MiB). The pace of a host is never dropped while it matters, so the number of
    paces is bounded by the number of hosts that a robot can visit in that time. After that, the visits of
    `max_origins` hosts are kept.

    The methods are those of `comity.stores.Store`.

    >>> MemoryStore()
    MemoryStore()
    """

    def __init__(self, *, max_origins: int = 10_000, max_bytes: int = 256 << 20) -> None:
        self._max_origins = max_origins
        self._max_bytes = max_bytes
        # Held for microseconds and never while waiting, so it is safe in threads and event loops.
        self._lock = StoreLock()
        # Seconds since 1970 by a clock that is never set: a change of the system's clock would shorten gaps,
        # or make them last for hours.
        self._since = time.time() - time.monotonic()
        self._answers: OrderedDict[str, Access] = OrderedDict()
        self._held = 0
        self._paces: dict[str, Pace] = {}
        self._sweep_at = max_origins
        _stores.add(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def load(self, origin: str) -> Access | None:
        """Return the stored answer of an origin, fresh or not, or `None`."""
        with self._lock.operation():
            access = self._answers.get(origin)
            if access is not None:
                self._answers.move_to_end(origin)
            return access

    def save(self, access: Access) -> None:
        """Store the answer `access`, replacing the previous one of its origin."""
        with self._lock.operation():
            self._forget(access.origin)
            self._answers[access.origin] = access
            self._held += len(access.body)
            while self._answers and (len(self._answers) > self._max_origins or self._held > self._max_bytes):
                self._forget(next(iter(self._answers)))

    def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Acquire the lease of a host; see `pace.acquire`. The store's clock is never set."""
        lock = self._lock  # `operation` takes several times as long
        with lock.threads:
            if lock.is_busy:
                raise interrupted()
            lock.is_busy = True
            try:
                now = self._since + time.monotonic() if now is None else now
                known = self._paces.get(host, UNVISITED)
                self._paces[host], answer = pace.acquire(known, delay, holder, now, lease_seconds)
                if len(self._paces) > self._sweep_at:
                    self._sweep(now)
                return answer
            finally:
                lock.is_busy = False

    def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Extend a lease; see `pace.renew`."""
        with self._lock.operation():
            now = self._since + time.monotonic() if now is None else now
            self._paces[host] = pace.renew(self._paces.get(host, UNVISITED), holder, now, lease_seconds)

    def release(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """Release a lease and record the outcome of its request; see `pace.release`."""
        lock = self._lock
        with lock.threads:
            if lock.is_busy:
                raise interrupted()
            lock.is_busy = True
            try:
                now = self._since + time.monotonic() if now is None else now
                kept = pace.release(
                    self._paces.get(host, UNVISITED),
                    holder,
                    now - ago,
                    status=status,
                    retry_after=retry_after,
                    response_time=response_time,
                )
                self._paces[host] = kept
                if len(self._paces) > self._sweep_at:
                    self._sweep(now)
            finally:
                lock.is_busy = False

    def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """Return how long a request would have to wait; see `pace.wait`."""
        with self._lock.operation():
            now = self._since + time.monotonic() if now is None else now
            return pace.wait(self._paces.get(host, UNVISITED), delay, now)

    def visits(self, host: str) -> int:
        """Return how many requests to a host have ended."""
        with self._lock.operation():
            return self._paces.get(host, UNVISITED).visits

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the content ends with the store."""

    def _renew(self) -> None:
        """Use the store in a forked process: the requests under way are those of the parent.

        The gap after them counts from their start, which the last renewal is.
        """
        self._lock = StoreLock()
        for host, known in self._paces.items():
            if known.lease_expires is not None:
                began = known.lease_expires - LEASE
                ended = began if known.ended is None else max(known.ended, began)
                self._paces[host] = known.replace(ended=ended, holder=None, lease_expires=None)

    def _forget(self, origin: str) -> None:
        access = self._answers.pop(origin, None)
        if access is not None:
            self._held -= len(access.body)

    def _sweep(self, now: float) -> None:
        """Drop the paces that have no effect any more, but for those that ended last."""
        ended = [name for name, each in self._paces.items() if each.until <= now]
        ended.sort(key=lambda name: self._paces[name].ended or 0.0)
        for name in ended[: max(len(ended) - self._max_origins, 0)]:
            del self._paces[name]
        # Twice the remaining number, so that the cost of sweeping per new host is constant.
        self._sweep_at = max(self._max_origins, 2 * len(self._paces))
