"""A job on disk: which pages are wanted, under way and done, and what became of each.

Every change is one transaction, so a process that is killed at any moment leaves it made or not made. What
was under way then is wanted again; what was stored is stored once. One process at a time works on a job.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import ComityError
from .entry import Entry, Omission, Result, Want

__all__ = ["Job", "JobUnusable"]

#: Tells that a file is ours ("CmtJ"), and which tables it has.
_APPLICATION, _SCHEMA = 0x436D744A, 1

#: So many links that were left out are kept with their reasons; of the others there is the count.
_OMISSIONS = 20_000

_TABLES = """
-- A page is wanted (state 0), under way (1) or done (2).
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
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


class JobUnusable(ComityError, OSError):
    """A job that cannot be worked on: another process does, or its file is none of ours."""


class Job:
    """One job: `with Job(path) as job`. Raises `JobUnusable` for a file that is not to be had."""

    def __init__(self, path: Path) -> None:
        """Open or make the file of a job; what was under way is wanted again."""
        try:
            self._file = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
        except sqlite3.Error as error:
            raise JobUnusable(f"{path}: {error}") from None
        try:
            self._open()
        except sqlite3.Error as error:
            self._file.close()
            busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            why = "another crawl works on it" if busy else str(error)
            raise JobUnusable(f"{path}: {why}") from None
        except JobUnusable as error:
            self._file.close()
            raise JobUnusable(f"{path}: {error}") from None

    def _open(self) -> None:
        run = self._file.execute
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
                raise JobUnusable("it is no job of this version of Comity")
            # Nobody knows how long what was under way went on: to its origins it ends now.
            run(
                "INSERT OR REPLACE INTO origin SELECT p.origin, ?, o.not_before FROM page p"
                " LEFT JOIN origin o ON o.origin = p.origin WHERE p.state = 1",
                (time.time(),),
            )
            run("UPDATE page SET state = 0 WHERE state = 1")

    def __enter__(self) -> "Job":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    # What the job is ------------------------------------------------------------------------------

    def facts(self) -> dict[str, object]:
        """Give what was written down of the job itself."""
        return {name: json.loads(value) for name, value in self._file.execute("SELECT * FROM fact")}

    def tell(self, **facts: object) -> None:
        """Write something down of the job itself."""
        with self._transaction():
            self._tell(facts)

    def _tell(self, facts: Mapping[str, object]) -> None:
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._file.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)

    def create(self, wants: Iterable[Want], **facts: object) -> None:
        """Begin a job, which is done at once or not at all."""
        with self._transaction():
            self._tell(facts)
            self._add(wants)

    # What is wanted -------------------------------------------------------------------------------

    def add(self, wants: Iterable[Want]) -> list[Want]:
        """Want pages, and give those that were not wanted before."""
        with self._transaction():
            return self._add(wants)

    def _add(self, wants: Iterable[Want]) -> list[Want]:
        added = []
        for want in wants:
            row = (want.url, want.origin, want.depth, want.kind, want.start, want.hops)
            done = self._file.execute(
                "INSERT OR IGNORE INTO page (url, origin, depth, kind, start, hops, forced, state, tries)"
                " VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0)",
                row,
            )
            if done.rowcount:
                added.append(want)
            else:  # what is wanted counts by the shortest way there
                self._file.execute(
                    "UPDATE page SET depth = ? WHERE url = ? AND state = 0 AND depth > ?",
                    (want.depth, want.url, want.depth),
                )
                if want.kind == "page":  # and what is linked is a page, whatever embeds it too
                    self._file.execute(
                        "UPDATE page SET kind = 'page' WHERE url = ? AND state = 0 AND kind = 'part'",
                        (want.url,),
                    )
        return added

    def knows(self, url: str) -> bool:
        """Say whether a page is wanted, or was."""
        return self._file.execute("SELECT 1 FROM page WHERE url = ?", (url,)).fetchone() is not None

    def waiting(self) -> list[str]:
        """Give the origins that have pages that are wanted, those that were met first first."""
        rows = self._file.execute(
            "SELECT origin FROM page WHERE state = 0 GROUP BY origin ORDER BY min(number)"
        )
        return [origin for (origin,) in rows]

    def peek(self, origin: str) -> Entry | None:
        """Give the page of an origin that is next: the one with the fewest links from the start."""
        row = self._file.execute(
            f"SELECT {_ENTRY} FROM page WHERE state = 0 AND origin = ? ORDER BY depth, number LIMIT 1",  # noqa: S608
            (origin,),
        ).fetchone()
        return None if row is None else Entry(*row)

    def begin(self, entry: Entry) -> None:
        """Take that a page is under way."""
        with self._transaction():
            self._file.execute(
                "UPDATE page SET state = 1, tries = tries + 1 WHERE number = ?", (entry.number,)
            )

    # What became of it ----------------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        wants: Iterable[Want] = (),
        omissions: Iterable[Omission] = (),
        facts: Mapping[str, object] | None = None,
        not_before: float | None = None,
    ) -> list[Want]:
        """Take what became of a page, with all that it led to, and give what was not wanted before.

        `facts` are written down with it. `not_before` is when its origin may be asked again, by `time.time`.
        """
        now = time.time()
        with self._transaction():
            assignments = ", ".join(f"{name} = ?" for name in Result.__slots__)
            self._file.execute(
                f"UPDATE page SET state = 2, time = ?, {assignments} WHERE number = ?",  # noqa: S608
                (now, *(_kept(getattr(result, name)) for name in Result.__slots__), entry.number),
            )
            if result.file is not None:
                self._take_name(result.file)
            self._end(entry.origin, now, not_before)
            self._omit(omissions)
            self._tell(facts or {})
            return self._add(wants)

    def defer(
        self, entry: Entry, *, not_before: float | None = None, count: bool, force: bool = False
    ) -> None:
        """Take that a page is wanted still; with `count` it was one of the times that it may be tried."""
        with self._transaction():
            self._file.execute(
                "UPDATE page SET state = 0, tries = tries - ?, forced = forced OR ? WHERE number = ?",
                (0 if count else 1, force, entry.number),
            )
            self._end(entry.origin, time.time(), not_before)

    def _end(self, origin: str, now: float, not_before: float | None) -> None:
        self._file.execute("INSERT OR REPLACE INTO origin VALUES (?, ?, ?)", (origin, now, not_before))

    def _omit(self, omissions: Iterable[Omission]) -> None:
        for one in omissions:
            row = (one.url, one.reason, one.source, one.line)
            number = self._file.execute("SELECT number FROM count WHERE reason = ?", (one.reason,)).fetchone()
            if number is None or number[0] < _OMISSIONS:
                done = self._file.execute("INSERT OR IGNORE INTO omission VALUES (?, ?, ?, ?)", row)
                if not done.rowcount:
                    continue
            self._file.execute(
                "INSERT INTO count VALUES (?, 1) ON CONFLICT (reason) DO UPDATE SET number = number + 1",
                row[1:2],
            )

    def paces(self) -> list[tuple[str, float, float | None]]:
        """Give each origin that was asked for anything: when that ended, and before when it is left alone."""
        return self._file.execute("SELECT origin, ended, not_before FROM origin").fetchall()

    # Names of files -------------------------------------------------------------------------------

    def is_free(self, name: str) -> bool:
        """Say whether a file may have a name: no other has it, in whatever case, nor a file in its way."""
        folded = name.lower()
        if self._file.execute("SELECT 1 FROM name WHERE name = ?", (folded,)).fetchone():
            return False
        return not any(
            self._file.execute("SELECT 1 FROM name WHERE name = ? AND NOT is_folder", (folder,)).fetchone()
            for folder in _folders(folded)
        )

    def _take_name(self, name: str) -> None:
        folded = name.lower()
        rows = [(folder, 1) for folder in _folders(folded)]
        self._file.executemany("INSERT OR IGNORE INTO name VALUES (?, ?)", rows)
        self._file.execute("INSERT INTO name VALUES (?, 0)", (folded,))

    # What there is to tell ------------------------------------------------------------------------

    def stored(self) -> int:
        """Give the number of pages that are stored."""
        [number] = self._file.execute("SELECT count(*) FROM page WHERE outcome = 'stored'").fetchone()
        return int(number)

    def outcomes(self) -> dict[str, int]:
        """Give how many pages had each outcome; those that are wanted still are `"wanted"`."""
        rows = self._file.execute(
            "SELECT CASE state WHEN 2 THEN outcome ELSE 'wanted' END AS told, count(*)"
            " FROM page GROUP BY told"
        )
        return dict(rows.fetchall())

    def octets(self) -> int:
        """Give the octets of all pages that are stored."""
        [number] = self._file.execute(
            "SELECT coalesce(sum(octets), 0) FROM page WHERE outcome = 'stored'"
        ).fetchone()
        return int(number)

    def omitted(self) -> dict[str, int]:
        """Give how many links were not followed, by reason."""
        return dict(self._file.execute("SELECT reason, number FROM count ORDER BY reason").fetchall())

    def omissions(self, most: int) -> list[Omission]:
        """Give the links that were not followed and lead to no page that is known otherwise."""
        rows = self._file.execute(
            "SELECT url, reason, source, line FROM omission WHERE url NOT IN (SELECT url FROM page) LIMIT ?",
            (most,),
        )
        return [Omission(*row) for row in rows]

    def results(self) -> Iterator[tuple[str, int, bool, float | None, Result]]:
        """Give each page that is done, in the order of its wish: URL, depth, whether it began, when, what."""
        names = ", ".join(Result.__slots__)
        rows = self._file.execute(
            f"SELECT url, depth, start, time, {names} FROM page WHERE state = 2 ORDER BY number"  # noqa: S608
        )
        for url, depth, start, moment, *known in rows:
            yield url, depth, bool(start), moment, Result(*known)

    def left(self) -> list[tuple[str, int]]:
        """Give the origins that have pages that are wanted still, and how many."""
        return self._file.execute(
            "SELECT origin, count(*) FROM page WHERE state < 2 GROUP BY origin"
        ).fetchall()


def _kept(value: object) -> object:
    """Give a value as it can be kept: what sites wrote may stand in a text as what UTF-8 has no place for."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _folders(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
