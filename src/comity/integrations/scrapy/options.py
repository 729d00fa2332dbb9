"""The settings that begin with `COMITY_`, read and checked."""

from scrapy.settings import BaseSettings

from ...protocol.access_policy import AccessPolicy, access_policy
from ...protocol.usage.answer import usage
from ...protocol.value import Value
from ...robot import pace
from ...robot import store as homes
from ...robot.page import ANSWERS, Requirement

__all__ = ["Options"]

_SQLITE = "sqlite:///"
_REDIS = ("redis://", "rediss://", "unix://")


class Options(Value):
    """What a project set; see docs/scrapy.md."""

    __slots__ = (
        "policy",
        "store",
        "delay",
        "crawl_delay_cap",
        "max_wait",
        "respect",
        "nofollow",
        "mark",
        "drop",
        "log",
    )
    policy: AccessPolicy
    #: a path, a URL or a store
    store: object
    #: the least gap, in seconds, between two requests to any origin
    delay: float
    crawl_delay_cap: float
    max_wait: float
    respect: Requirement
    nofollow: bool
    #: the field of items that says what their page forbids; "" for none
    mark: str
    #: what a page must let the robot do, or else its items are dropped
    drop: frozenset[str]
    log: str

    @classmethod
    def of(cls, settings: BaseSettings) -> "Options":
        """Read the settings.

        Raises `UnknownPolicy`, `UnknownCategory` or `ValueError` for what is none.

        >>> from scrapy.settings import Settings
        >>> Options.of(Settings({"COMITY_POLICY": "google"})).policy.name
        'google'
        """
        policy: str | AccessPolicy = settings.get("COMITY_POLICY", "rfc9309")
        categories = tuple(settings.getlist("COMITY_RESPECT"))
        for category in categories:
            usage("/", agent=()).preference(category)  # complains if it is none
        drop = frozenset(settings.getlist("COMITY_DROP"))
        if not drop.issubset(ANSWERS):
            raise ValueError(
                f"COMITY_DROP takes {', '.join(ANSWERS)}, not {', '.join(drop.difference(ANSWERS))}"
            )
        cap = settings.getfloat("COMITY_CRAWL_DELAY_CAP", pace.CAP)
        delay = settings.getfloat("COMITY_DELAY", 0.0)
        pace.demand(None, floor=delay, cap=cap, now=0.0)  # complains if one is none
        max_wait = settings.getfloat("COMITY_MAX_WAIT", 600.0)
        if not max_wait >= 0:
            raise ValueError(f"COMITY_MAX_WAIT is a number of seconds from 0 up, not {max_wait}")
        return cls(
            policy=access_policy(policy),
            store=settings.get("COMITY_STORE") or "memory",
            delay=delay,
            crawl_delay_cap=cap,
            max_wait=max_wait,
            respect=Requirement(categories, False),
            nofollow=settings.getbool("COMITY_NOFOLLOW", True),
            mark=str(settings.get("COMITY_MARK", "comity") or ""),
            drop=drop,
            log=str(settings.get("COMITY_LOG") or ""),
        )

    def open_store(self) -> homes.Store:
        """Give the store that is meant: memory, a file of SQLite, or a Redis server.

        >>> from scrapy.settings import Settings
        >>> type(Options.of(Settings({"COMITY_STORE": "sqlite:///robots.sqlite3"})).open_store()).__name__
        'SQLiteStore'
        """
        where = self.store
        if not isinstance(where, str):
            if hasattr(where, "load") and hasattr(where, "save"):
                return where  # type: ignore[return-value]  # it has the methods
            return homes.SQLiteStore(where)  # type: ignore[arg-type]  # a path, or SQLite says what it is
        if where == "memory":
            return homes.MemoryStore()
        if where.startswith(_REDIS):
            return homes.RedisStore(where)
        return homes.SQLiteStore(where.removeprefix(_SQLITE))
