"""The stores that robots and crawls can share: in memory, in an SQLite file, on a Redis server.

Each class is loaded on first use, so that `redis` is needed only for `RedisStore`.

>>> from comity.stores import MemoryStore
>>> MemoryStore().load("https://example.com") is None
True
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .politeness.stores import AsyncMemoryStore as AsyncMemoryStore
    from .politeness.stores import AsyncRedisStore as AsyncRedisStore
    from .politeness.stores import AsyncSQLiteStore as AsyncSQLiteStore
    from .politeness.stores import MemoryStore as MemoryStore
    from .politeness.stores import RedisStore as RedisStore
    from .politeness.stores import SQLiteStore as SQLiteStore

__all__ = [
    "AsyncMemoryStore",
    "AsyncRedisStore",
    "AsyncSQLiteStore",
    "MemoryStore",
    "RedisStore",
    "SQLiteStore",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .politeness import stores

    return getattr(stores, name)


def __dir__() -> list[str]:
    return __all__
