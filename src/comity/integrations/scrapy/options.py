"""The `COMITY_` settings of a project, validated. Each error names its setting."""

import os
from collections.abc import Sequence
from pathlib import Path

from scrapy.settings import BaseSettings

from ... import stores
from ...errors import InvalidArgument
from ...politeness import pace
from ...politeness.log import DecisionLog
from ...politeness.page import ANSWERS, Requirement
from ...protocol.access.policy import AccessPolicy, access_policy
from ...protocol.usage.answer import usage
from ...protocol.value import Value

_SQLITE = "sqlite:///"
_REDIS = ("redis://", "rediss://", "unix://")
_ACCEPTED_STORES = f"a path, {_SQLITE}PATH, a URL of Redis ({', '.join(_REDIS)}) or a store object"


class Options(Value):
    """The settings of a project; see docs/reference/scrapy.md."""

    policy: AccessPolicy
    #: a path, a URL or a store object
    store: object
    #: minimum gap in seconds between two requests to an origin
    delay: float
    crawl_delay_cap: float
    max_wait: float
    respect: Requirement
    nofollow: bool
    #: name of the item field for marks; empty if items are not marked
    mark: str
    #: directives and uses; items of pages that forbid one of them are dropped
    drop: frozenset[str]
    log: str

    @classmethod
    def of(cls, settings: BaseSettings) -> "Options":
        """Return the validated settings.

        Raises `InvalidArgument` or `ValueError` if a setting is not valid.

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
            respect=Requirement(_names(settings, "COMITY_RESPECT", categories, InvalidArgument), False),
            nofollow=_is_set(settings, "COMITY_NOFOLLOW", True),
            mark=str(settings.get("COMITY_MARK", "comity") or ""),
            drop=frozenset(_names(settings, "COMITY_DROP", (*ANSWERS, *categories), ValueError)),
            log=str(settings.get("COMITY_LOG") or ""),
        )

    def open_store(self) -> stores.Store:
        """Open the configured store: in memory, in a SQLite file, or on a Redis server.

        >>> from scrapy.settings import Settings
        >>> type(Options.of(Settings({"COMITY_STORE": "sqlite:///robots.sqlite3"})).open_store()).__name__
        'SQLiteStore'
        """
        where = self.store
        if not isinstance(where, str | os.PathLike):
            return where  # type: ignore[return-value]  # it has the methods
        text = os.fspath(where)
        if text == "memory":
            return stores.MemoryStore()
        if text.startswith(_REDIS):
            try:
                return stores.RedisStore(text)
            except ValueError as error:
                raise ValueError(f"COMITY_STORE: not a valid URL of a Redis server: {error}") from error
        return stores.SQLiteStore(text.removeprefix(_SQLITE))

    def open_log(self) -> DecisionLog | None:
        """Open the decision log.

        Return `None` if none is configured; raise `OSError` if it cannot be written.
        """
        if not self.log:
            return None
        try:
            return DecisionLog(self.log)
        except OSError as error:
            why = f"COMITY_LOG: cannot write the file: {error.strerror}"
            raise OSError(error.errno, why, self.log) from error  # the same subclass of OSError


def _policy(value: str | AccessPolicy) -> AccessPolicy:
    try:
        return access_policy(value)
    except InvalidArgument as error:
        raise error.under("COMITY_POLICY") from None


def _store(where: object) -> object:
    """Check the setting. A missing folder is probably a typing error, so it is not created."""
    if not isinstance(where, str | os.PathLike):
        if hasattr(where, "load") and hasattr(where, "save"):
            return where
        raise ValueError(f"COMITY_STORE: expected {_ACCEPTED_STORES}, not {where!r}")
    text = os.fspath(where)
    if text == "memory" or text.startswith(_REDIS):
        return where
    scheme, is_url, _ = text.partition("://")
    if is_url and not text.startswith(_SQLITE):
        # The rest of the URL may contain a password.
        raise ValueError(f"COMITY_STORE: expected {_ACCEPTED_STORES}, not a URL that begins with {scheme}://")
    path = Path(text.removeprefix(_SQLITE))
    if path.is_dir():
        raise ValueError(f"COMITY_STORE: {str(path)!r} is a folder; expected the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"COMITY_STORE: the folder {str(path.parent)!r} does not exist; create it first")
    return where


def _seconds(settings: BaseSettings, name: str, default: float, *, endless: bool = False) -> float:
    try:
        seconds = settings.getfloat(name, default)
    except (OverflowError, TypeError, ValueError):
        seconds = -1.0
    if seconds >= 0 and (endless or seconds != float("inf")):
        return seconds
    raise ValueError(f"{name}: expected seconds, 0 or more, not {settings.get(name)!r}")


def _is_set(settings: BaseSettings, name: str, default: bool) -> bool:
    try:
        return settings.getbool(name, default)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name}: expected True or False, not {settings.get(name)!r}") from None


def _names(
    settings: BaseSettings, name: str, known: Sequence[str], error: type[ValueError]
) -> tuple[str, ...]:
    """Return the names of a list setting; raise `error` for an unknown name."""
    try:
        names = settings.getlist(name)
    except TypeError:
        names = [settings.get(name)]
    for each in names:
        if each not in known:
            raise error(f"{name}: expected names from {', '.join(known)}, not {each!r}")
    return tuple(names)
