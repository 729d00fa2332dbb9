"""The stores: where a robot keeps fetched robots.txt files and the pace of its requests.

    MemoryStore  AsyncMemoryStore   one process; lost when it ends
    SQLiteStore  AsyncSQLiteStore   the processes of one machine, in a file
    RedisStore   AsyncRedisStore    many machines, on a Redis server (extra `redis`)

`Store` and `AsyncStore` are the protocols that a store of your own implements. Each name is imported when
it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .politeness.stores import AsyncStore, Store
    from .politeness.stores._async.memory import AsyncMemoryStore
    from .politeness.stores._async.redis import AsyncRedisStore
    from .politeness.stores._async.sqlite import AsyncSQLiteStore
    from .politeness.stores._sync.memory import MemoryStore
    from .politeness.stores._sync.redis import RedisStore
    from .politeness.stores._sync.sqlite import SQLiteStore

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

if not TYPE_CHECKING:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from ._lazy import load

        flavour = "_async" if name.startswith("Async") else "_sync"
        backend = name.removeprefix("Async").removesuffix("Store").lower()
        module = f".politeness.stores.{flavour}.{backend}" if backend else ".politeness.stores"
        extra = "redis" if backend == "redis" else "robot"
        return globals().setdefault(name, load(__name__, name, module, extra))

    def __dir__():
        return __all__
