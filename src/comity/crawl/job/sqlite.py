"""A job in a file, on which one process at a time works.

Every change is one transaction, so a process that is killed at any moment leaves it made or not made.
"""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from ...politeness.pace import Demand
from ..output.mirror import folders_of
from .agenda import Agenda
from .entry import Entry, Omission, Result, Want, sound
from .interface import CUT_OFF, OMISSIONS, JobUnusable

__all__ = ["SQLiteJob"]

#: Tells that a file is ours ("CmtJ"), and which tables it has.
_APPLICATION, _SCHEMA = 0x436D744A, 1

_TABLES = """
-- A page is wanted (state 0), under way (1) or done (2).
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE mine (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE host (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE page (
    number INTEGER PRIMARY KEY, url TEXT UNIQUE, origin TEXT, depth INTEGER, kind TEXT, start INTEGER,
    forced INTEGER, tries INTEGER, hops INTEGER, state INTEGER, time REAL, outcome TEXT, status INTEGER,
    octets INTEGER, sha256 TEXT, file TEXT, media TEXT, why TEXT, source TEXT, line INTEGER);
CREATE INDEX next ON page (origin, depth, number) WHERE state = 0;
CREATE INDEX under_way ON page (origin) WHERE state = 1;
CREATE TABLE name (name TEXT PRIMARY KEY, is_folder INTEGER) WITHOUT ROWID;
CREATE TABLE origin (origin TEXT PRIMARY KEY, ended REAL, not_before REAL) WITHOUT ROWID;
CREATE TABLE omission (
    url TEXT, reason TEXT, source TEXT, line INTEGER, PRIMARY KEY (url, reason)) WITHOUT ROWID;
CREATE TABLE count (reason TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;
"""

_ENTRY = "number, url, origin, depth, kind, start, forced, tries, hops"


class SQLiteJob:
    """One job: `with SQLiteJob(path) as job`. Raises `JobUnusable` for a file that is not to be had.

    What is under way is held in memory alone beside the file, as are the times at which origins are due.
    """

    lease = float("inf")

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Open or make the file of a job; what was under way is wanted again."""
        self._path = path
        with self._usable():
            self._file = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            self._open()
        except JobUnusable:
            self._file.close()
            raise
        self._clock = clock
        self._agenda = Agenda()
        #: the origins that have a page under way
        self._busy: set[str] = set()
        self._left: dict[str, tuple[float, str]] = {}
        self._failures: Counter[str] = Counter()
        self._outcomes = Counter(self._count())
        [self._octets] = self._run(
            "SELECT coalesce(sum(octets), 0) FROM page WHERE outcome = 'stored'"
        ).fetchone()
        rows = self._run("SELECT origin FROM page WHERE state = 0 GROUP BY origin ORDER BY min(number)")
        for (origin,) in rows.fetchall():
            self._agenda.put(origin, self._clock())

    def _open(self) -> None:
        run = self._run
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        with self._transaction():
            [application] = run("PRAGMA application_id").fetchone()
            [schema] = run("PRAGMA user_version").fetchone()
            [tables] = run("SELECT count(*) FROM sqlite_master").fetchone()
            if not tables:
                for statement in filter(str.strip, _TABLES.split(";")):
                    run(statement)
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {_SCHEMA}")
            elif (application, schema) != (_APPLICATION, _SCHEMA):
                raise JobUnusable(f"{self._path}: it is no job of this version of Comity")
            # Nobody knows how long what was under way goes on.
            run(
                "INSERT OR REPLACE INTO origin SELECT p.origin, ?, o.not_before FROM page p"
                " LEFT JOIN origin o ON o.origin = p.origin WHERE p.state = 1",
                (time.time() + CUT_OFF,),
            )
            run("UPDATE page SET state = 0 WHERE state = 1")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say by our own error that the file is not to be had."""
        try:
            yield
        except sqlite3.Error as error:
            busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            why = "another crawl works on it" if busy else str(error)
            raise JobUnusable(f"{self._path}: {why}") from error

    def _run(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        with self._usable():
            return self._file.execute(statement, values)

    def _run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._usable():
            self._file.executemany(statement, rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK")
            raise
        self._run("COMMIT")

    # What the job is ------------------------------------------------------------------------------

    def facts(self) -> dict[str, object]:
        """See `Job.facts`."""
        return self._said("fact")

    def mine(self) -> dict[str, object]:
        """See `Job.mine`."""
        return self._said("mine")

    def keep(self, **mine: object) -> None:
        """See `Job.keep`."""
        with self._transaction():
            self._tell("mine", mine)

    def _said(self, table: str) -> dict[str, object]:
        return {name: json.loads(value) for name, value in self._run(f"SELECT * FROM {table}")}  # noqa: S608

    def _tell(self, table: str, facts: Mapping[str, object]) -> None:
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._run_many(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", rows)  # noqa: S608

    def create(self, wants: Iterable[Want], hosts: Iterable[str], **facts: object) -> bool:
        """See `Job.create`."""
        if self.facts():
            return False
        with self._transaction():
            self._tell("fact", facts)
            self._began_at(hosts)
            added = self._add(wants)
        self._want(added)
        return True

    def tell(self, **facts: object) -> None:
        """See `Job.tell`."""
        with self._transaction():
            self._tell("fact", facts)

    def hosts(self) -> set[str]:
        """See `Job.hosts`."""
        return {host for (host,) in self._run("SELECT name FROM host")}

    def _began_at(self, hosts: Iterable[str]) -> None:
        self._run_many("INSERT OR IGNORE INTO host VALUES (?)", [(host,) for host in hosts])

    # What is wanted -------------------------------------------------------------------------------

    def add(self, wants: Iterable[Want]) -> None:
        """See `Job.add`."""
        with self._transaction():
            added = self._add(wants)
        self._want(added)

    def _add(self, wants: Iterable[Want]) -> list[Want]:
        added = []
        for want in wants:
            row = (want.url, want.origin, want.depth, want.kind, want.start, want.hops)
            done = self._run(
                "INSERT OR IGNORE INTO page (url, origin, depth, kind, start, hops, forced, state, tries)"
                " VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0)",
                row,
            )
            if done.rowcount:
                added.append(want)
            else:  # what is wanted counts by the shortest way there
                self._run(
                    "UPDATE page SET depth = ? WHERE url = ? AND state = 0 AND depth > ?",
                    (want.depth, want.url, want.depth),
                )
                if want.kind == "page":  # and what is linked is a page, whatever embeds it too
                    self._run(
                        "UPDATE page SET kind = 'page' WHERE url = ? AND state = 0 AND kind = 'part'",
                        (want.url,),
                    )
        return added

    def knows(self, url: str) -> bool:
        """See `Job.knows`."""
        return self._run("SELECT 1 FROM page WHERE url = ?", (url,)).fetchone() is not None

    def due(self) -> tuple[str | None, float]:
        """See `Job.due`."""
        first = self._agenda.first()
        if first is None:
            return None, float("inf")
        origin, when = first
        seconds = when - self._clock()
        return (None, seconds) if seconds > 0 else (origin, 0.0)

    def postpone(self, origin: str, seconds: float) -> None:
        """See `Job.postpone`."""
        if origin in self._agenda:
            self._agenda.put(origin, self._clock() + seconds)

    def begin(self, origin: str, demand: Demand, limit: int | None) -> Entry | None:
        """See `Job.begin`; who works on a job alone knows by itself when, so `demand` is met."""
        if self.is_full(limit):
            return None
        row = self._run(
            f"SELECT {_ENTRY} FROM page WHERE state = 0 AND origin = ? ORDER BY depth, number LIMIT 1",  # noqa: S608
            (origin,),
        ).fetchone()
        if row is None:
            self._agenda.remove(origin)
            return None
        entry = Entry(*row)
        with self._transaction():
            self._run("UPDATE page SET state = 1, tries = tries + 1 WHERE number = ?", (entry.number,))
        self._agenda.remove(origin)
        self._busy.add(origin)
        return entry

    def renew(self) -> set[str]:
        """See `Job.renew`; nobody else would take it."""
        return set(self._busy)

    def visit(self, origin: str, demand: Demand) -> str:
        """See `Job.visit`; nobody else has turns."""
        return ""

    def visited(self, origin: str, holder: str, pause: float) -> None:
        """See `Job.visited`."""

    def leave(self, origin: str, until: float, why: str) -> None:
        """See `Job.leave`."""
        self._left[origin] = until, why
        self._agenda.remove(origin)

    def left(self) -> dict[str, tuple[float, str]]:
        """See `Job.left`."""
        return dict(self._left)

    def pending(self, limit: int | None) -> bool:
        """See `Job.pending`."""
        return bool(self._agenda) and not (limit is not None and self._outcomes["stored"] >= limit)

    def is_full(self, limit: int | None) -> bool:
        """See `Job.is_full`."""
        return limit is not None and self._outcomes["stored"] + len(self._busy) >= limit

    def _want(self, added: Iterable[Want]) -> None:
        """Take that pages are wanted, and have their origins looked at."""
        for want in added:
            self._outcomes["wanted"] += 1
            if want.origin not in self._agenda:
                self._look(want.origin)

    def _look(self, origin: str) -> None:
        if origin not in self._busy and origin not in self._left:
            self._agenda.put(origin, self._clock())

    # What became of it ----------------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        wants: Iterable[Want] = (),
        omissions: Iterable[Omission] = (),
        hosts: Iterable[str] = (),
        mine: Mapping[str, object] | None = None,
        pause: float = 0.0,
        sent: bool = True,
    ) -> bool:
        """See `Job.finish`."""
        with self._transaction():
            assignments = ", ".join(f"{name} = ?" for name in Result.__slots__)
            self._run(
                f"UPDATE page SET state = 2, time = ?, {assignments} WHERE number = ?",  # noqa: S608
                (time.time(), *(sound(getattr(result, name)) for name in Result.__slots__), entry.number),
            )
            if result.file is not None:
                self._take_name(result.file)
            self._end(entry.origin, pause, sent)
            self._omit(omissions)
            self._began_at(hosts)
            self._tell("mine", mine or {})
            added = self._add(wants)
        self._outcomes.update({result.outcome: 1, "wanted": -1})
        if result.outcome == "stored":
            self._octets += result.octets
        if result.status is not None and result.status < 500:
            del self._failures[entry.origin]
        self._want(added)
        self._ended(entry.origin)
        return True

    def defer(
        self,
        entry: Entry,
        *,
        count: bool,
        force: bool = False,
        pause: float = 0.0,
        sent: bool = True,
        leave: tuple[float, str] | None = None,
    ) -> None:
        """See `Job.defer`."""
        with self._transaction():
            self._run(
                "UPDATE page SET state = 0, tries = tries - ?, forced = forced OR ? WHERE number = ?",
                (0 if count else 1, force, entry.number),
            )
            self._end(entry.origin, pause, sent)
        if leave is not None:
            self.leave(entry.origin, *leave)
        self._ended(entry.origin)

    def _end(self, origin: str, pause: float, sent: bool) -> None:
        now = time.time()
        self._run("INSERT OR IGNORE INTO origin VALUES (?, 0, NULL)", (origin,))
        if sent:
            self._run("UPDATE origin SET ended = ? WHERE origin = ?", (now, origin))
        if pause > 0:
            self._run("UPDATE origin SET not_before = ? WHERE origin = ?", (now + pause, origin))

    def _ended(self, origin: str) -> None:
        """Have an origin looked at again whose page is not under way any more."""
        self._busy.discard(origin)
        rows = self._run("SELECT 1 FROM page WHERE state = 0 AND origin = ? LIMIT 1", (origin,))
        if rows.fetchone() is not None:
            self._look(origin)

    def failed(self, origin: str) -> int:
        """See `Job.failed`."""
        self._failures[origin] += 1
        return self._failures[origin]

    def _omit(self, omissions: Iterable[Omission]) -> None:
        for one in omissions:
            row = [sound(getattr(one, name)) for name in Omission.__slots__]
            number = self._run("SELECT number FROM count WHERE reason = ?", (one.reason,)).fetchone()
            if number is None or number[0] < OMISSIONS:
                done = self._run("INSERT OR IGNORE INTO omission VALUES (?, ?, ?, ?)", row)
                if not done.rowcount:
                    continue
            self._run(
                "INSERT INTO count VALUES (?, 1) ON CONFLICT (reason) DO UPDATE SET number = number + 1",
                row[1:2],
            )

    def paces(self) -> list[tuple[str, float, float | None]]:
        """See `Job.paces`."""
        return self._run("SELECT origin, ended, not_before FROM origin").fetchall()

    # Names of files -------------------------------------------------------------------------------

    def reserve(self, entry: Entry, name: str) -> bool:
        """See `Job.reserve`; no other page comes in between until this one is done."""
        folded = name.lower()
        if self._run("SELECT 1 FROM name WHERE name = ?", (folded,)).fetchone():
            return False
        return not any(
            self._run("SELECT 1 FROM name WHERE name = ? AND NOT is_folder", (folder,)).fetchone()
            for folder in folders_of(folded)
        )

    def _take_name(self, name: str) -> None:
        folded = name.lower()
        rows = [(folder, 1) for folder in folders_of(folded)]
        self._run_many("INSERT OR IGNORE INTO name VALUES (?, ?)", rows)
        self._run("INSERT INTO name VALUES (?, 0)", (folded,))

    # What there is to tell ------------------------------------------------------------------------

    def outcomes(self) -> dict[str, int]:
        """See `Job.outcomes`."""
        return {outcome: count for outcome, count in self._outcomes.items() if count}

    def _count(self) -> dict[str, int]:
        rows = self._run(
            "SELECT CASE state WHEN 2 THEN outcome ELSE 'wanted' END AS told, count(*)"
            " FROM page GROUP BY told"
        )
        return dict(rows.fetchall())

    def wanted(self) -> list[tuple[str, int]]:
        """See `Job.wanted`."""
        rows = self._run("SELECT origin, count(*) FROM page WHERE state < 2 GROUP BY origin ORDER BY origin")
        return rows.fetchall()

    def octets(self) -> int:
        """See `Job.octets`."""
        return int(self._octets)

    def omitted(self) -> dict[str, int]:
        """See `Job.omitted`."""
        return dict(self._run("SELECT reason, number FROM count ORDER BY reason").fetchall())

    def omissions(self, most: int) -> list[Omission]:
        """See `Job.omissions`."""
        rows = self._run(
            "SELECT url, reason, source, line FROM omission WHERE url NOT IN (SELECT url FROM page) LIMIT ?",
            (most,),
        )
        return [Omission(*row) for row in rows]

    def results(self) -> Iterator[tuple[str, int, bool, float | None, Result]]:
        """See `Job.results`."""
        names = ", ".join(Result.__slots__)
        rows = self._run(
            f"SELECT url, depth, start, time, {names} FROM page WHERE state = 2 ORDER BY number"  # noqa: S608
        )
        for url, depth, start, moment, *known in rows:
            yield url, depth, bool(start), moment, Result(*known)
