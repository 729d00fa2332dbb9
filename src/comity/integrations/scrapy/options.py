"""The settings that begin with `COMITY_`, read and checked; each error names the one that it is about."""

import os
from collections.abc import Sequence
from pathlib import Path

from scrapy.settings import BaseSettings

from ...errors import InvalidPolicy, UnknownCategory, UnknownPolicy
from ...politeness import pace
from ...politeness import stores as homes
from ...politeness.log import DecisionLog
from ...politeness.page import ANSWERS, Requirement
from ...protocol.access.policy import AccessPolicy, access_policy
from ...protocol.usage.answer import usage
from ...protocol.value import Value

__all__ = ["Options"]

_SQLITE = "sqlite:///"
_REDIS = ("redis://", "rediss://", "unix://")
_HOMES = f"a path, {_SQLITE}PATH, a URL of Redis ({', '.join(_REDIS)}) or a store"


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

        Raises `UnknownPolicy`, `InvalidPolicy`, `UnknownCategory` or `ValueError` for what is none.

        >>> from scrapy.settings import Settings
        >>> Options.of(Settings({"COMITY_POLICY": "google"})).policy.name
        'google'
        """
        categories = usage("/", agent=()).categories
        return cls(
            policy=_policy(settings.get("COMITY_POLICY", "rfc9309")),
            store=_store(settings.get("COMITY_STORE") or "memory"),
            delay=_seconds(settings, "COMITY_DELAY", 0.0),
            crawl_delay_cap=_seconds(settings, "COMITY_CRAWL_DELAY_CAP", pace.CAP),
            max_wait=_seconds(settings, "COMITY_MAX_WAIT", 600.0, endless=True),
            respect=Requirement(_names(settings, "COMITY_RESPECT", categories, UnknownCategory), False),
            nofollow=_is_set(settings, "COMITY_NOFOLLOW", True),
            mark=str(settings.get("COMITY_MARK", "comity") or ""),
            drop=frozenset(_names(settings, "COMITY_DROP", (*ANSWERS, *categories), ValueError)),
            log=str(settings.get("COMITY_LOG") or ""),
        )

    def open_store(self) -> homes.Store:
        """Give the store that is meant: memory, a file of SQLite, or a Redis server.

        >>> from scrapy.settings import Settings
        >>> type(Options.of(Settings({"COMITY_STORE": "sqlite:///robots.sqlite3"})).open_store()).__name__
        'SQLiteStore'
        """
        where = self.store
        if not isinstance(where, str | os.PathLike):
            return where  # type: ignore[return-value]  # it has the methods
        text = os.fspath(where)
        if text == "memory":
            return homes.MemoryStore()
        if text.startswith(_REDIS):
            try:
                return homes.RedisStore(text)
            except ValueError as error:
                raise ValueError(f"COMITY_STORE is no URL of a Redis server: {error}") from error
        return homes.SQLiteStore(text.removeprefix(_SQLITE))

    def open_log(self) -> DecisionLog | None:
        """Give the log that is meant, if any is; raises `OSError` if it cannot be written."""
        if not self.log:
            return None
        try:
            return DecisionLog(self.log)
        except OSError as error:
            why = f"COMITY_LOG cannot be written: {error.strerror}"
            raise OSError(error.errno, why, self.log) from error  # which makes it of the same type


def _policy(value: str | AccessPolicy) -> AccessPolicy:
    try:
        return access_policy(value)
    except (InvalidPolicy, UnknownPolicy) as error:
        raise type(error)(f"COMITY_POLICY: {error}") from None


def _store(where: object) -> object:
    """Give what can be a store. A folder that is not there is a slip of the pen, and is not made."""
    if not isinstance(where, str | os.PathLike):
        if hasattr(where, "load") and hasattr(where, "save"):
            return where
        raise ValueError(f"COMITY_STORE takes {_HOMES}, not {where!r}")
    text = os.fspath(where)
    if text == "memory" or text.startswith(_REDIS):
        return where
    scheme, is_url, _ = text.partition("://")
    if is_url and not text.startswith(_SQLITE):
        # The rest of it may have a password.
        raise ValueError(f"COMITY_STORE takes {_HOMES}, not a URL that begins with {scheme}://")
    path = Path(text.removeprefix(_SQLITE))
    if path.is_dir():
        raise ValueError(f"COMITY_STORE takes the path of a file, and {str(path)!r} is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"COMITY_STORE is in a folder that is not there: {str(path.parent)!r}")
    return where


def _seconds(settings: BaseSettings, name: str, default: float, *, endless: bool = False) -> float:
    try:
        seconds = settings.getfloat(name, default)
    except (OverflowError, TypeError, ValueError):
        seconds = -1.0
    if seconds >= 0 and (endless or seconds != float("inf")):
        return seconds
    raise ValueError(f"{name} is a number of seconds from 0 up, not {settings.get(name)!r}")


def _is_set(settings: BaseSettings, name: str, default: bool) -> bool:
    try:
        return settings.getbool(name, default)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name} is True or False, not {settings.get(name)!r}") from None


def _names(
    settings: BaseSettings, name: str, known: Sequence[str], error: type[ValueError]
) -> tuple[str, ...]:
    """Give the names of a list, each of which is known."""
    try:
        names = settings.getlist(name)
    except TypeError:
        names = [settings.get(name)]
    for each in names:
        if each not in known:
            raise error(f"{name} takes {', '.join(known)}, not {each!r}")
    return tuple(names)
