# Generated from _async/sqlite.py by `make generate`; change that file.
"""The home in a file: the processes of one machine, and their next runs."""

import os
from typing import Self

from ....protocol.access.outcome import Access
from ...concurrency._sync import in_thread
from ...pace import Delay, Lease, Wait
from ..database import Database

__all__ = ["SQLiteStore"]


class SQLiteStore:
    """Keeps answers and turns in an SQLite file, for all processes and threads of one machine.

    `path` is a file on a local disk; without one it is `database.default_path()`, which all
    programs of the user share. Of the answers, those that were saved last are kept: `origins` of
    them (100,000), with `octets` octets in all (1 GiB) at most, and none for longer than 30 days.
    The file is opened when it is first needed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        origins: int = 100_000,
        octets: int = 1 << 30,
    ) -> None:
        """Remember where the file is."""
        self._database = Database(path, origins=origins, octets=octets)

    def load(self, origin: str) -> Access | None:
        """Give the answer that is kept for an origin, fresh or not, or `None`."""
        return in_thread(self._database.load, origin)

    def save(self, access: Access) -> None:
        """Keep an answer instead of the one that was kept for its origin."""
        in_thread(self._database.save, access)

    def acquire(
        self, origin: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Ask for the turn at an origin; see `pace.acquire`. The own clock is the machine's."""
        return in_thread(self._database.acquire, origin, delay, holder, now, lease_seconds)

    def renew(self, origin: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Have a turn for longer; see `pace.renew`."""
        in_thread(self._database.renew, origin, holder, now, lease_seconds)

    def release(
        self,
        origin: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
    ) -> None:
        """Give a turn back and tell what came of it; see `pace.release`."""
        in_thread(self._database.release, origin, holder, now, status, retry_after)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Every later operation raises `StoreUnavailable`."""
        in_thread(self._database.close)
