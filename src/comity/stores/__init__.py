"""The stores: where a robot keeps fetched robots.txt files and the pace of its requests.

    MemoryStore  AsyncMemoryStore   one process; lost when it ends
    SQLiteStore  AsyncSQLiteStore   the processes of one machine, in a file
    RedisStore   AsyncRedisStore    many machines, on a Redis server (extra `redis`)
    VersionStore                    each `Version` of the robots.txt files of sites, in a folder

`Store` and `AsyncStore` are the protocols that a store of your own implements. It grants a `Lease` or returns
a `Wait` with its `WaitReason`, by the `Delay` of an origin. `CombinedSteps` and `AsyncCombinedSteps` are
methods that it may have too: each saves a round trip. Each name is imported when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..politeness.log_files.version import Version
    from ..politeness.log_files.version_store import VersionStore
    from ..politeness.pace import Delay, Lease, Wait, WaitReason
    from ..politeness.stores import AsyncCombinedSteps, AsyncStore, CombinedSteps, Store
    from ..politeness.stores._async.memory import AsyncMemoryStore
    from ..politeness.stores._async.redis import AsyncRedisStore
    from ..politeness.stores._async.sqlite import AsyncSQLiteStore
    from ..politeness.stores._sync.memory import MemoryStore
    from ..politeness.stores._sync.redis import RedisStore
    from ..politeness.stores._sync.sqlite import SQLiteStore

__all__ = [
    "AsyncCombinedSteps",
    "AsyncMemoryStore",
    "AsyncRedisStore",
    "AsyncSQLiteStore",
    "AsyncStore",
    "CombinedSteps",
    "Delay",
    "Lease",
    "MemoryStore",
    "RedisStore",
    "SQLiteStore",
    "Store",
    "Version",
    "VersionStore",
    "Wait",
    "WaitReason",
]

if not TYPE_CHECKING:
    from .._lazy import lazy

    _NAMES = __all__
    _MODULES = {
        "AsyncCombinedSteps": "..politeness.stores",
        "AsyncMemoryStore": "..politeness.stores._async.memory",
        "AsyncRedisStore": "..politeness.stores._async.redis",
        "AsyncSQLiteStore": "..politeness.stores._async.sqlite",
        "AsyncStore": "..politeness.stores",
        "CombinedSteps": "..politeness.stores",
        "Delay": "..politeness.pace",
        "Lease": "..politeness.pace",
        "MemoryStore": "..politeness.stores._sync.memory",
        "RedisStore": "..politeness.stores._sync.redis",
        "SQLiteStore": "..politeness.stores._sync.sqlite",
        "Store": "..politeness.stores",
        "Version": "..politeness.log_files.version",
        "VersionStore": "..politeness.log_files.version_store",
        "Wait": "..politeness.pace",
        "WaitReason": "..politeness.pace",
    }
    _EXTRAS = {
        **dict.fromkeys([name for name in _NAMES if name.startswith("Async")], "robot"),
        **dict.fromkeys(["AsyncRedisStore", "RedisStore"], "redis"),
    }
    __getattr__, __dir__ = lazy(__name__, _NAMES, _MODULES, extras=_EXTRAS)
    del __all__, lazy  # `__getattr__` returns those names that can be imported


del TYPE_CHECKING
