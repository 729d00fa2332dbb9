"""The stores: where a robot keeps fetched robots.txt files and the pace of its requests.

    MemoryStore  AsyncMemoryStore   one process; lost when it ends
    SQLiteStore  AsyncSQLiteStore   the processes of one machine, in a file
    RedisStore   AsyncRedisStore    many machines, on a Redis server (extra `redis`)
    VersionStore                    each `Version` of the robots.txt files of sites, in a folder

`Store` and `AsyncStore` are the protocols that a store of your own implements. It grants a `Lease` or returns
a `Wait` with its `WaitReason`, by the `Delay` of an origin. `CombinedSteps` and `AsyncCombinedSteps` are
methods that it may have too: each saves a round trip. Each name is imported when it is first used.
"""

from .._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        "..politeness.log_files.version": "Version",
        "..politeness.log_files.version_store": "VersionStore",
        "..politeness.pace": "Delay Lease Wait WaitReason",
        "..politeness.stores": "AsyncCombinedSteps AsyncStore CombinedSteps Store",
        "..politeness.stores._async.memory": "AsyncMemoryStore",
        "..politeness.stores._async.redis": "AsyncRedisStore",
        "..politeness.stores._async.sqlite": "AsyncSQLiteStore",
        "..politeness.stores._sync.memory": "MemoryStore",
        "..politeness.stores._sync.redis": "RedisStore",
        "..politeness.stores._sync.sqlite": "SQLiteStore",
    },
    extras={
        **dict.fromkeys(
            ("AsyncCombinedSteps", "AsyncMemoryStore", "AsyncSQLiteStore", "AsyncStore"), "robot"
        ),
        **dict.fromkeys(("AsyncRedisStore", "RedisStore"), "redis"),
    },
)
