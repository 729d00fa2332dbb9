"""Where a robot keeps what it learnt: the door to the stores.

A store keeps, for each origin, the answer about its robots.txt (`Access`) and the pace of its
requests. Whoever shares a home, be it tasks, processes or machines, shares both: a robots.txt is
fetched once, and there is one request at a time to an origin, with its gap, among all of them.

There are three homes, each in two flavours of the same methods:

    MemoryStore  AsyncMemoryStore   one process, gone with it
    SQLiteStore  AsyncSQLiteStore   the processes of one machine, kept in a file
    RedisStore   AsyncRedisStore    many machines, kept by a Redis server (extra `redis`)

Each is loaded when it is asked for, so that none needs what only another one needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ...protocol.access.outcome import Access
from ..pace import Delay, Lease, Wait

if TYPE_CHECKING:
    from ._async.memory import AsyncMemoryStore
    from ._async.redis import AsyncRedisStore
    from ._async.sqlite import AsyncSQLiteStore
    from ._sync.memory import MemoryStore
    from ._sync.redis import RedisStore
    from ._sync.sqlite import SQLiteStore

__all__ = [
    "AsyncMemoryStore",
    "AsyncRedisStore",
    "AsyncSQLiteStore",
    "AsyncStore",
    "MemoryStore",
    "RedisStore",
    "SQLiteStore",
    "Store",
]

_FILES = {
    "AsyncMemoryStore": "._async.memory",
    "AsyncRedisStore": "._async.redis",
    "AsyncSQLiteStore": "._async.sqlite",
    "MemoryStore": "._sync.memory",
    "RedisStore": "._sync.redis",
    "SQLiteStore": "._sync.sqlite",
}


class Store(Protocol):
    """What a sync robot asks of its store. An origin is the text of a `comity.protocol.origin.Origin`.

    `now` is the time in seconds since 1970, or `None` for the store's own clock, which is the one
    that all who share the store have in common: the machine's, or the Redis server's.

    Any method raises `StoreUnavailable` where the home cannot be reached.
    """

    def load(self, origin: str) -> Access | None:
        """Give the answer that is kept for an origin, fresh or not, or `None`."""

    def save(self, access: Access) -> None:
        """Keep an answer instead of the one that was kept for its origin."""

    def acquire(
        self, origin: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """Ask for the turn at an origin, or be told how long to wait; see `pace.acquire`."""

    def renew(self, origin: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """Have a turn for longer; see `pace.renew`."""

    def release(
        self,
        origin: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
    ) -> None:
        """Give a turn back and tell what came of it; see `pace.release`."""

    def close(self) -> None:
        """Close files and connections; the stored data stays.

        A closed store stays closed: if it needs a file or a connection, every later operation raises
        `StoreUnavailable`.
        """


class AsyncStore(Protocol):
    """What an async robot asks of its store: the methods of `Store`, to be awaited."""

    async def load(self, origin: str) -> Access | None:
        """See `Store.load`."""

    async def save(self, access: Access) -> None:
        """See `Store.save`."""

    async def acquire(
        self, origin: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """See `Store.acquire`."""

    async def renew(self, origin: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """See `Store.renew`."""

    async def release(
        self,
        origin: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None = None,
    ) -> None:
        """See `Store.release`."""

    async def aclose(self) -> None:
        """See `Store.close`."""


def __getattr__(name: str) -> object:
    if name in _FILES:
        return getattr(import_module(_FILES[name], __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
