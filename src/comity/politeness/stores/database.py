"""The SQLite file of a store: answers and turns, shared by the processes of one machine.

Every change is one transaction, so a process that is killed leaves it done or not done; a turn that
it held ends with its lease. A file that is damaged is put aside under another name and begun anew,
with a warning in the log and nothing raised: what it kept can be had again. A file that is not
damaged but not ours to change, since another program or a later Comity wrote it, is left alone and
`StoreUnavailable` is raised.
"""

import logging
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

from ...errors import StoreUnavailable
from ...protocol.access.outcome import Access
from .. import pace
from ..pace import UNVISITED, Delay, Lease, Pace, Wait
from . import entry

__all__ = ["Database", "default_path"]

_log = logging.getLogger("comity.robot")

_Result = TypeVar("_Result")

#: The version of the tables; a file with a higher one is a later Comity's.
_SCHEMA = 1

#: Tells that a file is ours ("Cmty"); zero is what a file has that nobody has claimed.
_APPLICATION = 0x436D7479

#: `size` stands before the entry, so that counting octets reads no entry.
_TABLES = """
CREATE TABLE answer (origin TEXT PRIMARY KEY, saved REAL, size INTEGER, entry BLOB);
CREATE TABLE pace (origin TEXT PRIMARY KEY, ended REAL, gap REAL, not_before REAL, from_server INTEGER,
                   failures INTEGER, holder TEXT, lease_expires REAL, until REAL) WITHOUT ROWID;
"""

_PACE = (
    "SELECT ended, gap, not_before, from_server, failures, holder, lease_expires FROM pace WHERE origin = ?"
)

#: Seconds that a process waits for the others' transactions, each of which takes milliseconds.
_PATIENCE = 30.0

#: What is old is looked for at the first change that a process makes, and then every so many.
_PRUNE_EVERY = 500


def default_path() -> Path:
    """Give the file that is shared by all programs of a user that name no other.

    It lies where the system wants what can be had again: `$XDG_CACHE_HOME` or `~/.cache`,
    `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows.
    """
    try:
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            folder = Path(local) if local else Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            folder = Path.home() / "Library" / "Caches"
        else:
            folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
            if not folder.is_absolute():  # the XDG specification has such a value ignored
                folder = Path.home() / ".cache"
    except RuntimeError as homeless:
        raise StoreUnavailable(f"{homeless}; give the store a path") from None
    return folder / "comity" / "store.sqlite3"


class Database:
    """The SQLite file of a store, for all threads of a process.

    The file is opened when it is first needed, and opened again after a fork. Once `close` was called,
    every operation raises `StoreUnavailable`, also in a thread that had begun before.
    """

    def __init__(self, path: str | os.PathLike[str] | None, *, origins: int, octets: int) -> None:
        """Remember where the file is; `None` for the default."""
        self._path = path
        self._origins = origins
        self._octets = octets
        self._saves = 0
        self._steps = 0
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        self._closed = False
        self._identity: tuple[int, int] | None = None
        _databases.add(self)

    def load(self, origin: str) -> Access | None:
        """See `store.Store.load`."""
        found = self._run(
            lambda file: file.execute("SELECT entry FROM answer WHERE origin = ?", (origin,)).fetchone()
        )
        access = entry.decode(found[0]) if found else None
        return access if access and access.origin == origin else None

    def save(self, access: Access) -> None:
        """See `store.Store.save`."""
        octets = entry.encode(access)
        if octets is None:
            _log.warning("the answer of %s is larger than any that is kept", access.origin)
            return

        def write(file: sqlite3.Connection) -> None:
            now = time.time()
            with _transaction(file):
                row = (access.origin, now, len(octets), octets)
                file.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", row)
                _see(file.execute("SELECT saved FROM answer WHERE origin = ?", (access.origin,)), (now,))
                if self._saves % _PRUNE_EVERY == 0:
                    self._prune(file, now)
                self._saves += 1

        self._run(write)

    def acquire(
        self, origin: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """See `store.Store.acquire`."""

        def step(kept: Pace, moment: float) -> tuple[Pace, Lease | Wait]:
            return pace.acquire(kept, delay, holder, moment, lease_seconds)

        return self._step(origin, now, step)

    def renew(self, origin: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """See `store.Store.renew`."""

        def step(kept: Pace, moment: float) -> tuple[Pace, None]:
            return pace.renew(kept, holder, moment, lease_seconds), None

        self._step(origin, now, step)

    def release(
        self, origin: str, holder: str, now: float | None, status: int | None, retry_after: float | None
    ) -> None:
        """See `store.Store.release`."""

        def step(kept: Pace, moment: float) -> tuple[Pace, None]:
            return pace.release(kept, holder, moment, status=status, retry_after=retry_after), None

        self._step(origin, now, step)

    def close(self) -> None:
        """See `store.Store.close`."""
        with self._lock:
            self._closed = True
            self._close()

    def lock_for_fork(self) -> None:
        """Close the file and keep all others from opening it until `unlock_after_fork`."""
        self._lock.acquire()
        self._close()

    def unlock_after_fork(self) -> None:
        """Let the file be opened again, after `lock_for_fork`."""
        self._lock.release()

    def _run(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Do some work with the file, and once more with a new one if it is damaged."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self._where()}: the store is closed; create another one")
            try:
                return self._attempt(work)
            except StoreUnavailable:
                raise
            except (sqlite3.Error, OSError) as error:
                self._close()  # whatever state the connection is in, the next one begins well
                raise StoreUnavailable(f"{self._where()}: {error}") from error

    def _attempt(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        try:
            return work(self._opened())
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _identity(self._where()) == self._identity:
                if not _is_damage(error):
                    raise
                self._put_aside(error)
        return work(self._opened())

    def _where(self) -> Path:
        return default_path() if self._path is None else Path(self._path)

    def _close(self) -> None:
        if self._file is not None:
            with suppress(sqlite3.Error):
                self._file.close()
        self._file = None

    def _opened(self) -> sqlite3.Connection:
        """Give the connection to the file that is there now, which may have been put aside or deleted."""
        path = self._where()
        if self._file is not None and _identity(path) == self._identity:
            return self._file
        self._close()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(path):
            file = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                _set_up(file, path)
            except BaseException:
                file.close()
                raise
            finally:
                self._identity = _identity(path)  # not before: SQLite makes the file when it is first used
        self._file = file
        return file

    def _put_aside(self, error: Exception) -> None:
        """Move the damaged file out of the way, unless another process did so already."""
        path = self._where()
        self._close()
        with _alone(path):
            if _identity(path) != self._identity:
                return
            aside = Path(f"{path}.damaged")
            # The log of changes goes first: beside a new file it would be taken for the new one's.
            for end in ("-wal", "-shm", ""):
                with suppress(FileNotFoundError):
                    os.replace(f"{path}{end}", f"{aside}{end}")
        _log.warning("%s is damaged (%s); it is now %s, and a new one is begun", path, error, aside)

    def _step(
        self, origin: str, now: float | None, step: Callable[[Pace, float], tuple[Pace, _Result]]
    ) -> _Result:
        """Take one step of the pace of an origin, alone among all processes."""

        def work(file: sqlite3.Connection) -> _Result:
            with _transaction(file):
                # The clock is read here and not before, as the transactions of others may take a while.
                moment = time.time() if now is None else now
                if self._steps % _PRUNE_EVERY == 0:
                    # A day more, for clocks that differ, as in `pace`.
                    old = (moment - pace.DAY, origin)
                    file.execute("DELETE FROM pace WHERE until < ? AND origin <> ?", old)
                self._steps += 1
                row = file.execute(_PACE, (origin,)).fetchone()
                changed, answer = step(UNVISITED if row is None else _restored(row, moment), moment)
                if row is None or row != _row(changed):
                    values = (origin, *_row(changed), changed.until)
                    file.execute("INSERT OR REPLACE INTO pace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
                    _see(file.execute(_PACE, (origin,)), _row(changed))
            return answer

        return self._run(work)

    def _prune(self, file: sqlite3.Connection, now: float) -> None:
        """Forget the answers that are of no use any more, and those that are too many, the oldest first."""
        file.execute("DELETE FROM answer WHERE saved < ?", (now - entry.LIFETIME,))
        file.execute(
            """
            DELETE FROM answer WHERE origin IN (
                SELECT origin FROM (
                    SELECT origin, row_number() OVER latest AS place, sum(size) OVER latest AS octets
                    FROM answer
                    WINDOW latest AS (ORDER BY saved DESC, origin ROWS UNBOUNDED PRECEDING)
                ) WHERE place > ? OR octets > ?
            )
            """,
            (self._origins, self._octets),
        )


def _row(kept: Pace) -> tuple[object, ...]:
    return (
        kept.ended,
        kept.gap,
        kept.not_before,
        int(kept.from_server),
        kept.failures,
        kept.holder,
        kept.lease_expires,
    )


def _restored(row: tuple[object, ...], now: float) -> Pace:
    """Read a pace. One that was damaged counts as a request that ended now: doubt goes to the site."""
    ended, gap, not_before, from_server, failures, holder, lease_expires = row
    times = (ended, not_before, lease_expires)
    sound = (
        all(time is None or (isinstance(time, float) and isfinite(time)) for time in times)
        and (isinstance(gap, float) and 0 <= gap < float("inf"))
        and from_server in (0, 1)
        and (isinstance(failures, int) and failures >= 0)
        and (holder is None or isinstance(holder, str))
        and (holder is None) == (lease_expires is None)
    )
    if not sound:
        return UNVISITED.replace(ended=now)
    return Pace(ended, gap, not_before, from_server == 1, failures, holder, lease_expires)  # type: ignore[arg-type]


class _Unkept(sqlite3.DatabaseError):
    """What was written is not there, which SQLite itself does not notice in a damaged file."""


def _see(found: sqlite3.Cursor, written: tuple[object, ...]) -> None:
    """See that a row is there: a turn that nobody else finds would be no turn."""
    if found.fetchone() != written:
        raise _Unkept("a row is not found again")


@contextmanager
def _transaction(file: sqlite3.Connection) -> Iterator[None]:
    if file.in_transaction:  # an interrupt between two lines left it
        file.execute("ROLLBACK")
    file.execute("BEGIN IMMEDIATE")  # the lock to write at once: a read that would write later may not get it
    try:
        yield
        file.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            file.execute("ROLLBACK")
        raise


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Be the only process that opens the file or puts it aside.

    The lock is SQLite's own, on an empty file: it works on every system and goes with its process.
    """
    with closing(sqlite3.connect(f"{path}.lock", timeout=_PATIENCE, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise StoreUnavailable(f"{path}.lock: {error}") from error
        yield


def _set_up(file: sqlite3.Connection, path: Path) -> None:
    file.text_factory = lambda octets: octets.decode("utf-8", "replace")  # damage is no error here
    version, application, tables = (
        file.execute(query).fetchone()[0]
        for query in (
            "PRAGMA user_version",
            "PRAGMA application_id",
            "SELECT count(*) FROM sqlite_master",
        )
    )
    if application != _APPLICATION and (application or tables):
        raise StoreUnavailable(f"{path} is a database of another program; give the store another path")
    if version > _SCHEMA:
        raise StoreUnavailable(
            f"{path} was written by a later Comity; update this one or give the store another path"
        )
    if application and version < 1:
        raise _Unkept("no version")
    # With a log of changes, readers do not wait for writers. Nothing is lost when a process is
    # killed; the last changes may be when the machine is.
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    if version < _SCHEMA:
        with _transaction(file):
            for statement in (
                *filter(str.strip, _TABLES.split(";")),
                f"PRAGMA application_id = {_APPLICATION}",
                f"PRAGMA user_version = {_SCHEMA}",
            ):
                file.execute(statement)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _is_damage(error: Exception) -> bool:
    """Say whether the file is to blame, and not the disk, its rights or its other users."""
    if isinstance(error, (_Unkept, UnicodeDecodeError)):  # the latter where SQLite quotes what is damaged
        return True
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_ERROR:  # our statements are right, so it is the tables that are not
        return any(words in str(error) for words in ("no such", "columns", "unsupported file format"))
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


#: A connection must not go through a fork: SQLite would take the parent's locks for the child's.
_databases: WeakSet[Database] = WeakSet()
_held: list[Database] = []


def _before_fork() -> None:
    for database in list(_databases):
        database.lock_for_fork()
        _held.append(database)


def _after_fork() -> None:
    while _held:
        _held.pop().unlock_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
