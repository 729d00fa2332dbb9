"""The SQLite file of a store: answers and leases, shared by the processes of one machine.

Every change is one transaction, so a killed process leaves no half-written change, and its leases expire. A
damaged file is renamed and replaced by a new one, with a warning in the log and no error, because its
content can be fetched again. A file that is not a store, or one of a later Comity, is not changed:
`StoreUnavailable` is raised.
"""

import logging
import os
import re
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

from ...errors import InvalidArgument, StoreUnavailable
from ...files.private_files import cache_folder, create_private, create_private_folder, when_unused
from ...protocol.access.outcome import Access
from ...protocol.userinfo import without_password
from .. import pace
from ..concurrency.lease_owner import has_ended
from ..concurrency.termination import END
from ..pace import Delay, Lease, Pace, Wait
from ..store_lock import StoreLock
from . import stored_access as entry
from .pace_table import PaceTable, RowMissing, Step, verify_written

_log = logging.getLogger("comity.robot")

_Result = TypeVar("_Result")

#: The version of the tables. A higher one belongs to a later Comity. The tables of a lower one are emptied,
#: because their content can be fetched again.
_SCHEMA = 5

#: The application id of Comity's files ("Cmty"). A new file has zero.
_APPLICATION = 0x436D7479

#: The first bytes of every SQLite file, the size of its header, and the place of the application id in it.
_MAGIC, _HEADER, _APPLICATION_AT = b"SQLite format 3\0", 100, 68

#: `size` comes before `entry`, so that a sum of sizes does not read the entries.
_TABLES = """
CREATE TABLE answer (origin TEXT PRIMARY KEY, saved REAL, until REAL, size INTEGER, entry BLOB);
CREATE TABLE pace (host TEXT PRIMARY KEY, ended REAL, gap REAL, not_before REAL, from_server INTEGER,
                   failures INTEGER, holder TEXT, lease_expires REAL, visits INTEGER, response_time REAL,
                   until REAL)
WITHOUT ROWID;
"""

#: A huge value is not read: for a blob, SQLite knows its type and length without its content.
_ENTRY = (
    "SELECT CASE typeof(entry) WHEN 'blob' THEN CASE WHEN length(entry) <= ? THEN entry END END"
    " FROM answer WHERE origin = ?"
)

#: Timeout in seconds for the transactions of other processes, which take milliseconds.
_LOCK_TIMEOUT = 30.0

#: Timeout in seconds for the release of a lease, while the caller waits for a page: it can be repeated.
_RELEASE_TIMEOUT = 2.0

#: Timeout in seconds for the transactions of other processes in one attempt. An operation may be repeated.
_ATTEMPT_TIMEOUT = 2.0

#: Number of changes between deletions of old rows. The first change of a process also deletes them.
_PRUNE_EVERY = 500


def default_path() -> Path:
    """Return the default file, which all programs of a user share. It is in the user's cache folder."""
    try:
        return cache_folder() / "store.sqlite3"
    except RuntimeError as error:
        raise StoreUnavailable(f"{error}; pass a path to the store") from None


class Database:
    """The SQLite file of a store, for all threads of a process.

    The file is opened when it is first needed, and opened again after a fork. Once `close` was called,
    every operation raises `StoreUnavailable`, also in a thread that started before.
    """

    def __init__(self, path: str | os.PathLike[str] | None, *, max_origins: int, max_bytes: int) -> None:
        """Create it for a file; `None` is the default file. Raises `InvalidArgument` for a URL."""
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise InvalidArgument(f"invalid path {path!r:.200}: expected a str or a path", name="path")
        if isinstance(path, str) and re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", path):
            shown = without_password(path)
            raise InvalidArgument(f"invalid path {shown!r:.200}: expected a file, not a URL", name="path")
        self.path: str | os.PathLike[str] | None = path
        self._path = None if path is None else Path(path)
        self._max_origins = max_origins
        self._max_bytes = max_bytes
        self._saves = 0
        self._paces = PaceTable(max_origins)
        self._lock = StoreLock()
        self._rejected = entry.RejectedEntries()
        self._file: sqlite3.Connection | None = None
        self._closed = False
        self._identity: tuple[int, int] | None = None
        self._opened_path = ""  # of the file that is open
        _databases.add(self)

    def load(self, origin: str) -> Access | None:
        """See `store.Store.load`."""
        return self._run(lambda file: self._load(file, origin))

    def save(self, access: Access) -> None:
        """See `store.Store.save`."""
        data = _encoded(access)
        if data is None:
            return

        def write(file: sqlite3.Connection) -> None:
            with _Transaction(file):
                self._save(file, access, data)

        self._run(write)

    def acquire(
        self, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Lease | Wait:
        """See `store.Store.acquire`."""
        step = _acquisition(delay, holder, now, lease_seconds)
        return self._run(lambda file: self._step(file, host, now, step))

    def load_or_acquire(
        self, origin: str, host: str, delay: Delay, holder: str, now: float | None, lease_seconds: float
    ) -> Access | Lease | Wait:
        """See `store.CombinedSteps.load_or_acquire`."""

        def work(file: sqlite3.Connection) -> Access | Lease | Wait:
            known = self._load(file, origin)  # without a transaction, because a reader waits for no writer
            if known is not None:
                return known
            step = _acquisition(delay, holder, now, lease_seconds)
            if not file.in_transaction:  # otherwise left by an interrupt
                done = self._paces.add_new(file, origin, host, now, step)
                if done is not None:
                    return done[0]
            with _Transaction(file):
                known = self._load(file, origin)
                return self._paces.change(file, host, now, step) if known is None else known

        return self._run(work)

    def renew(self, host: str, holder: str, now: float | None, lease_seconds: float) -> None:
        """See `store.Store.renew`."""

        def step(kept: Pace, moment: float) -> tuple[Pace, None]:
            return pace.renew(kept, holder, moment, lease_seconds), None

        self._run(lambda file: self._step(file, host, now, step))

    def release(
        self,
        host: str,
        holder: str,
        now: float | None,
        status: int | None,
        retry_after: float | None,
        ago: float,
        response_time: float | None,
        access: Access | None = None,
    ) -> None:
        """See `store.Store.release`, and `store.CombinedSteps.save_and_release` for an answer."""

        def step(kept: Pace, moment: float) -> tuple[Pace, None]:
            ended = moment - ago
            return pace.release(
                kept, holder, ended, status=status, retry_after=retry_after, response_time=response_time
            ), None

        data = None if access is None else _encoded(access)

        def work(file: sqlite3.Connection) -> None:
            if access is None or data is None:
                self._step(file, host, now, step)
                return
            with _Transaction(file):
                self._save(file, access, data)
                if self._paces.change_known(file, host, now, step) is None:
                    self._paces.change(file, host, now, step)

        self._run(work, timeout=_RELEASE_TIMEOUT)

    def wait(self, host: str, delay: Delay, now: float | None) -> Wait | None:
        """See `store.Store.wait`."""
        moment = time.time() if now is None else now
        kept = self._run(lambda file: self._paces.read(file, host, moment))
        if now is None:
            kept = pace.after_set_back(kept, moment)
        return pace.wait(kept, delay, moment)

    def visits(self, host: str) -> int:
        """See `store.Store.visits`."""
        return self._run(lambda file: self._paces.read(file, host, 0.0)).visits

    def close(self) -> None:
        """See `store.Store.close`."""
        self._closed = True
        interrupted = self._lock.acquire()
        try:
            if not interrupted:  # otherwise the interrupted operation closes the file
                self._close()
        finally:
            self._lock.release()

    def lock_for_fork(self) -> None:
        """Close the file and keep all others from opening it until `unlock_after_fork`."""
        self._lock.acquire()
        self._close()

    def unlock_after_fork(self) -> None:
        """Let the file be opened again, after `lock_for_fork`."""
        self._lock.release()

    def _run(self, work: Callable[[sqlite3.Connection], _Result], *, timeout: float | None = None) -> _Result:
        """Run an operation on the file. If the file is damaged, repeat it on a new file.

        `timeout` is the timeout for the transactions of other processes, None for `_LOCK_TIMEOUT`.
        """
        with self._lock.operation():
            if self._closed:
                raise StoreUnavailable(f"{self._where()}: the store is closed; create another one")
            try:
                return self._attempt_until_free(work, timeout)
            except StoreUnavailable:
                raise
            except (sqlite3.Error, OSError) as error:
                self._close()  # the next operation opens a new connection
                raise StoreUnavailable(f"{self._where()}: {error}") from error
            finally:
                if self._closed:  # by a signal handler
                    self._close()

    def _attempt_until_free(
        self, work: Callable[[sqlite3.Connection], _Result], timeout: float | None
    ) -> _Result:
        """Repeat an operation while another process locks the file, `_ATTEMPT_TIMEOUT` seconds each time."""
        began = time.monotonic()
        while True:
            try:
                return self._attempt(work)
            except sqlite3.OperationalError as error:
                longest = _LOCK_TIMEOUT if timeout is None else min(timeout, _LOCK_TIMEOUT)
                if not _is_busy(error) or time.monotonic() - began >= longest:
                    raise

    def _attempt(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        try:
            return work(self._opened())
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _identity(self._where()) == self._identity:
                if not _is_damage(error):
                    raise
                self._rename_damaged(error)
        return work(self._opened())

    def _where(self) -> Path:
        return self._path or default_path()

    def _close(self) -> None:
        if self._file is not None:
            with suppress(sqlite3.Error):
                self._file.close()
        self._file = None

    def _opened(self) -> sqlite3.Connection:
        """Return the connection to the current file. The file may have been renamed or deleted meanwhile."""
        if self._file is not None and _identity(self._opened_path) == self._identity:
            return self._file
        path = self._where()
        self._close()
        create_private_folder(path.parent)
        _verify_kind(path)
        with _exclusive(path):
            create_private(path)
            file = sqlite3.connect(path, timeout=_LOCK_TIMEOUT, isolation_level=None, check_same_thread=False)
            try:
                _set_up(file, path)
            except BaseException:
                file.close()
                raise
            finally:
                self._identity = _identity(path)  # not before: SQLite creates the file on first use
        self._opened_path = os.fspath(path)
        self._file = file
        return file

    def _rename_damaged(self, error: Exception) -> None:
        """Rename the damaged file, unless another process has done so, or it is not a store."""
        path = self._where()
        self._close()
        with _exclusive(path):
            if _identity(path) != self._identity:
                return
            _verify_ours(path)
            damaged = Path(f"{path}.damaged")
            # The write-ahead log first: otherwise it would be applied to the new file.
            for end in ("-wal", "-shm", ""):
                with suppress(FileNotFoundError):
                    when_unused(partial(os.replace, f"{path}{end}", f"{damaged}{end}"))
        _log.warning("%s is damaged (%s): renamed to %s; starting with a new file", path, error, damaged)

    def _load(self, file: sqlite3.Connection, origin: str) -> Access | None:
        found = file.execute(_ENTRY, (entry.LIMIT, origin)).fetchone()
        return entry.restore(found[0], origin, self._rejected) if found else None

    def _save(self, file: sqlite3.Connection, access: Access, data: bytes) -> None:
        """Store an answer within a transaction."""
        now = time.time()
        row = (access.origin, now, now + entry.lifetime_of(access, now), len(data), data)
        file.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", row)
        found = file.execute("SELECT saved FROM answer WHERE origin = ?", (access.origin,))
        verify_written(found, (now,))
        if self._saves % _PRUNE_EVERY == 0:
            self._prune(file, now)
        self._saves += 1

    def _step(self, file: sqlite3.Connection, host: str, now: float | None, step: Step[_Result]) -> _Result:
        """Change the pace of a host in one transaction."""
        if not file.in_transaction:  # otherwise left by an interrupt
            done = self._paces.change_known(file, host, now, step)
            if done is not None:
                return done[0]
        with _Transaction(file):
            return self._paces.change(file, host, now, step)

    def _prune(self, file: sqlite3.Connection, now: float) -> None:
        """Delete expired answers, and the oldest ones beyond the limits."""
        # One look at all rows costs less than the deletions, which sort them.
        has_expired, is_full = file.execute(
            "SELECT min(until) < ?, count(*) > ? OR total(size) > ? FROM answer",
            (now, self._max_origins, self._max_bytes),
        ).fetchone()
        if has_expired:
            file.execute("DELETE FROM answer WHERE until < ?", (now,))
        if not is_full:
            return
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
            (self._max_origins, self._max_bytes),
        )


def _encoded(access: Access) -> bytes | None:
    data = entry.encode(access)
    if data is None:
        _log.warning("the answer of %s is too large for the store", access.origin)
    return data


def _acquisition(delay: Delay, holder: str, now: float | None, lease_seconds: float) -> Step[Lease | Wait]:
    def step(kept: Pace, moment: float) -> tuple[Pace, Lease | Wait]:
        if now is None:
            kept = pace.after_set_back(kept, moment)
        return pace.acquire(_without_ended(kept, moment), delay, holder, moment, lease_seconds)

    return step


def _without_ended(kept: Pace, now: float) -> Pace:
    """Return the pace with the lease released if its process has ended on this machine.

    The end of its request is not known, and the server may notice it a moment later. Then the gap begins.
    """
    if kept.holder is None or (kept.lease_expires or now) <= now or not has_ended(kept.holder):
        return kept
    return pace.release(kept, kept.holder, now + END, status=pace.GIVEN_UP)


class _Transaction:
    """A transaction that takes the write lock at once: a later upgrade of a read lock can fail.

    As a generator it would cost several times as much.
    """

    __slots__ = ("_file",)

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file

    def __enter__(self) -> None:
        if self._file.in_transaction:  # left by an interrupt
            self._file.execute("ROLLBACK")
        self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                with suppress(sqlite3.Error):
                    self._file.execute("ROLLBACK")


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Exclude other processes from opening or renaming the file.

    The lock is an SQLite lock on an empty file: it works on every system and ends with its process. The file
    is private, because whoever can read it can lock it.
    """
    create_private(f"{path}.lock")
    with closing(sqlite3.connect(f"{path}.lock", timeout=_LOCK_TIMEOUT, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise StoreUnavailable(f"{path}.lock: {error}") from error
        yield


def _verify_kind(path: Path) -> None:
    """Raise `StoreUnavailable` for a path that is not a file, and for a file too short for a database.

    SQLite would wait for a FIFO, and overwrite a file of one byte. The file is not opened here: closing it
    would release the locks that the process has on it.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise StoreUnavailable(f"{path}: not a regular file; use another path for the store")
    if 0 < found.st_size < _HEADER:
        raise _not_a_store(path)


def _verify_ours(path: Path) -> None:
    """Raise `StoreUnavailable` if the header of a file that cannot be used is not the one of a store."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    application = header[_APPLICATION_AT : _APPLICATION_AT + 4]
    if not header.startswith(_MAGIC) or application != _APPLICATION.to_bytes(4, "big"):
        raise _not_a_store(path)


def _not_a_store(path: Path) -> StoreUnavailable:
    return StoreUnavailable(f"{path}: not a store of Comity; use another path, or delete the file")


def _set_up(file: sqlite3.Connection, path: Path) -> None:
    file.text_factory = lambda data: data.decode("utf-8", "replace")  # damaged text is detected later
    version, application, tables = (
        file.execute(query).fetchone()[0]
        for query in ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
    )
    if application != _APPLICATION and (application or tables):
        raise StoreUnavailable(f"{path}: the database of another program; use another path for the store")
    if version > _SCHEMA:
        raise StoreUnavailable(
            f"{path}: written by a later Comity; update Comity or use another path for the store"
        )
    if application and version < 1:
        raise RowMissing("no version")
    file.execute("PRAGMA synchronous = NORMAL")
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, entry.LIMIT + (1 << 20))
    if version < _SCHEMA:
        if application:
            _log.info("%s: written by an earlier Comity; starting with empty tables", path)
        with _Transaction(file):
            for statement in (
                "DROP TABLE IF EXISTS answer",
                "DROP TABLE IF EXISTS pace",
                *filter(str.strip, _TABLES.split(";")),
                f"PRAGMA application_id = {_APPLICATION}",
                f"PRAGMA user_version = {_SCHEMA}",
            ):
                file.execute(statement)
    # With a write-ahead log, readers do not wait for writers. A killed process loses nothing; a crash of the
    # machine can lose the last changes. It begins only now, so that the application id is in the file itself.
    file.execute("PRAGMA journal_mode = WAL")
    file.execute(f"PRAGMA busy_timeout = {min(_ATTEMPT_TIMEOUT, _LOCK_TIMEOUT) * 1000:.0f}")


def _identity(path: Path | str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Return whether another process locks the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _is_damage(error: Exception) -> bool:
    """Return whether an error means that the file is damaged, and not a problem of disk, rights or locks."""
    if isinstance(error, (RowMissing, UnicodeDecodeError)):  # UnicodeDecodeError: SQLite quotes damaged text
        return True
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_ERROR:  # the statements are valid, so the tables are damaged
        return any(words in str(error) for words in ("no such", "columns", "unsupported file format"))
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)


#: A connection must not cross a fork, because SQLite would confuse the locks of parent and child.
_databases: WeakSet[Database] = WeakSet()
_held: list[Database] = []


def _before_fork() -> None:
    for database in list(_databases):
        database.lock_for_fork()
        _held.append(database)


def _after_fork() -> None:
    while _held:
        _held.pop().unlock_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
