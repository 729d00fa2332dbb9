# Generated from _async/memory.py by `make generate`; change that file.
"""The home in memory: one process, gone with it."""

import threading
import time
from collections import OrderedDict
from typing import Self

from ....protocol.access.outcome import Access
from ... import pace
from ...pace import UNVISITED, Delay, Lease, Pace, Wait

__all__ = ["MemoryStore"]


class MemoryStore:
    """Keeps answers and turns in memory, for all threads and tasks of one process.

    Of the answers, those that were used last are kept: `origins` of them (10,000), whose bodies
    have `octets` octets in all (256 MiB) at most. The pace of an origin is never forgotten while it
    binds, so its number is bounded by what a robot can visit in that time.
    """

    def __init__(self, *, origins: int = 10_000, octets: int = 256 << 20) -> None:
        """Begin with nothing."""
        self._origins = origins
        self._octets = octets
        # Held for microseconds and never while waiting, so it serves threads and event loops alike.
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Access] = OrderedDict()
        self._held = 0
        self._paces: dict[str, Pace] = {}
        self._sweep_at = origins

    def load(self, origin: str) -> Access | None:
        """Give the answer that is kept for an origin, fresh or not, or `None`."""
        with self._lock:
            access = self._answers.get(origin)
            if access is not None:
                self._answers.move_to_end(origin)
            return access

    def save(self, access: Access) -> None:
        """Keep an answer instead of the one that was kept for its origin."""
        with self._lock:
            self._forget(access.origin)
            self._answers[access.origin] = access
            self._held += len(access.body)
            while self._answers and (len(self._answers) > self._origins or self._held > self._octets):
                self._forget(next(iter(self._answers)))

    def acquire(
        self, origin: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Ask for the turn at an origin; see `pace.acquire`. The own clock is the machine's."""
        with self._lock:
            now = time.time() if now is None else now
            kept, answer = pace.acquire(self._paces.get(origin, UNVISITED), delay, holder, now, lease_seconds)
            self._keep(origin, kept, now)
        return answer

    def renew(self, origin: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Have a turn for longer; see `pace.renew`."""
        with self._lock:
            now = time.time() if now is None else now
            kept = self._paces.get(origin, UNVISITED)
            self._keep(origin, pace.renew(kept, holder, now, lease_seconds), now)

    def release(
        self,
        origin: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
    ) -> None:
        """Give a turn back and tell what came of it; see `pace.release`."""
        with self._lock:
            now = time.time() if now is None else now
            kept = pace.release(
                self._paces.get(origin, UNVISITED), holder, now, status=status, retry_after=retry_after
            )
            self._keep(origin, kept, now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: what is in memory goes with the store."""

    def _forget(self, origin: str) -> None:
        access = self._answers.pop(origin, None)
        if access is not None:
            self._held -= len(access.body)

    def _keep(self, origin: str, kept: Pace, now: float) -> None:
        self._paces[origin] = kept
        if len(self._paces) > self._sweep_at:
            self._paces = {name: each for name, each in self._paces.items() if each.until > now}
            # Twice what binds, so that sweeping costs each new origin a constant.
            self._sweep_at = max(self._origins, 2 * len(self._paces))
