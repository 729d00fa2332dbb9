# Written by tools/faces.py.
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
