# Generated from _async/sqlite.py by `make generate`; change that file.
"""The store in a file, for the processes of one machine and their next runs."""

import os
from typing import Self

from ....protocol.access.outcome import Access
from ....protocol.value import brief
from ...concurrency._sync import in_thread
from ...pace import Delay, Lease, Wait
from ..database import Database


class SQLiteStore:
    """A store in an SQLite file, for all processes and threads of one machine.

    `path` is a file on a local disk. The default is `database.default_path()`, which all programs of the
    user share. The file holds the answers that were saved last, at most `max_origins` (100,000) with
    `max_bytes` in total (1 GiB), and none for longer than 30 days. It is opened on first use.

    The methods are those of `comity.stores.Store`.

    >>> SQLiteStore("robots.db")
    SQLiteStore('robots.db')
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        max_origins: int = 100_000,
        max_bytes: int = 1 << 30,
    ) -> None:
        self._database = Database(path, max_origins=max_origins, max_bytes=max_bytes)

    def __repr__(self) -> str:
        path = self._database.path
        return f"{type(self).__name__}({'' if path is None else brief(os.fspath(path), 150)})"

    def load(self, origin: str) -> Access | None:
        """Return the stored answer of an origin, fresh or not, or `None`."""
        return in_thread(self._database.load, origin)

    def save(self, access: Access) -> None:
        """Store the answer `access`, replacing the previous one of its origin."""
        in_thread(self._database.save, access)

    def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Acquire the lease of a host; see `pace.acquire`. The store's clock is the machine's."""
        return in_thread(self._database.acquire, host, delay, holder, now, lease_seconds)

    def load_or_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """Return the stored answer of an origin, or acquire the lease of its host, in one transaction."""
        wanted = origin, host, delay, holder, now, lease_seconds
        return in_thread(self._database.load_or_acquire, *wanted)

    def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Extend a lease; see `pace.renew`."""
        in_thread(self._database.renew, host, holder, now, lease_seconds)

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
        outcome = status, retry_after, ago, response_time
        in_thread(self._database.release, host, holder, now, *outcome)

    def save_and_release(
        self,
        access: Access,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
        *,
        ago: float = 0.0,
        response_time: float | None = None,
    ) -> None:
        """Store the answer `access` and release a lease, in one transaction.

        The outcome of its request is `status`, `retry_after`, `ago` and `response_time`; see `release`.
        """
        outcome = status, retry_after, ago, response_time, access
        in_thread(self._database.release, host, holder, now, *outcome)

    def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """Return how long a request would have to wait; see `pace.wait`."""
        return in_thread(self._database.wait, host, delay, now)

    def visits(self, host: str) -> int:
        """Return how many requests to a host have ended."""
        return in_thread(self._database.visits, host)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Every later operation raises `StoreUnavailable`."""
        in_thread(self._database.close)
