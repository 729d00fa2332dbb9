"""A job in a file, for one process at a time.

Every change is one transaction, so a kill at any moment leaves it complete or absent.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self

from ...politeness.pace import Delay
from .agenda import Agenda
from .entry import Entry, LinkRequest, Postponement, Result, SkippedLink, folders_of, storable
from .interface import MAX_SKIPPED_LINKS
from .sqlite_file import JobFile
from .sqlite_report import SQLiteReport

_ENTRY = "number, url, origin, depth, kind, start, forced, tries, hops"


class SQLiteJob(SQLiteReport):
    """A job in an SQLite file: `with SQLiteJob(path) as job`. May raise `JobUnavailable`.

    Three facts are in memory only: which origins have a URL in progress, which are postponed, and when
    each is due.
    """

    lease: float = float("inf")

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Open or create the file of a job; URLs that were in progress are queued again."""
        super().__init__(JobFile(path))
        self._clock = clock
        self._agenda = Agenda()
        #: origins that have a URL in progress
        self._busy: set[str] = set()
        self._postponed: dict[str, Postponement] = {}
        self._failures: Counter[str] = Counter()
        rows = self._file.run("SELECT origin FROM page WHERE state = 0 GROUP BY origin ORDER BY min(number)")
        for (origin,) in rows.fetchall():
            self._agenda.put(origin, self._clock())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """See `Job.close`."""
        self._file.close()

    # Metadata -------------------------------------------------------------------------------------

    def metadata(self) -> dict[str, object]:
        """See `Job.metadata`."""
        return self._file.metadata("metadata")

    def create(self, requests: Iterable[LinkRequest], hosts: Iterable[str], **metadata: object) -> bool:
        """See `Job.create`."""
        if self.metadata():
            return False
        with self._file.transaction():
            self._file.set_metadata("metadata", metadata)
            self._add_hosts(hosts)
            added = self._insert(requests)
        self._count_queued(added)
        return True

    def set_metadata(self, **metadata: object) -> None:
        """See `Job.set_metadata`."""
        with self._file.transaction():
            self._file.set_metadata("metadata", metadata)

    def start_hosts(self) -> set[str]:
        """See `Job.start_hosts`."""
        return {host for (host,) in self._file.run("SELECT name FROM host")}

    def _add_hosts(self, hosts: Iterable[str]) -> None:
        self._file.run_many("INSERT OR IGNORE INTO host VALUES (?)", [(host,) for host in hosts])

    def worker_metadata(self) -> dict[str, object]:
        """See `Job.worker_metadata`."""
        return self._file.metadata("worker_metadata")

    def set_worker_metadata(self, **metadata: object) -> None:
        """See `Job.set_worker_metadata`."""
        with self._file.transaction():
            self._file.set_metadata("worker_metadata", metadata)

    # Queue ----------------------------------------------------------------------------------------

    def add(self, requests: Iterable[LinkRequest]) -> None:
        """See `Job.add`."""
        with self._file.transaction():
            added = self._insert(requests)
        self._count_queued(added)

    def _insert(self, requests: Iterable[LinkRequest]) -> list[LinkRequest]:
        """Insert the URLs that are new, update those that are queued, and return the new ones."""
        run = self._file.run
        added = []
        for one in requests:
            inserted = run(
                "INSERT OR IGNORE INTO page (url, origin, depth, kind, start, hops, referrer, referrer_line,"
                " forced, state, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
                [storable(getattr(one, name)) for name in LinkRequest.__slots__],
            )
            if inserted.rowcount:
                added.append(one)
                continue
            run(
                "UPDATE page SET depth = ? WHERE url = ? AND state = 0 AND depth > ?",
                (one.depth, one.url, one.depth),
            )
            if one.kind == "page":  # a URL that is linked and embedded is a page
                run(
                    "UPDATE page SET kind = 'page' WHERE url = ? AND state = 0 AND kind = 'resource'",
                    (one.url,),
                )
        return added

    def knows(self, url: str) -> bool:
        """See `Job.knows`."""
        return self._file.run("SELECT 1 FROM page WHERE url = ?", (url,)).fetchone() is not None

    def due(self) -> tuple[str | None, float]:
        """See `Job.due`."""
        first = self._agenda.first()
        if first is None:
            return None, float("inf")
        origin, when = first
        seconds = when - self._clock()
        return (None, seconds) if seconds > 0 else (origin, 0.0)

    def reschedule(self, origin: str, seconds: float) -> None:
        """See `Job.reschedule`."""
        if origin in self._agenda:
            self._agenda.put(origin, self._clock() + seconds)

    def begin(self, origin: str, delay: Delay, limit: int | None) -> Entry | None:
        """See `Job.begin`; `delay` is ignored, because the scheduler keeps the gaps of one process."""
        if self.is_full(limit):
            return None
        row = self._file.run(
            f"SELECT {_ENTRY} FROM page WHERE state = 0 AND origin = ? ORDER BY depth, number LIMIT 1",  # noqa: S608
            (origin,),
        ).fetchone()
        if row is None:
            self._agenda.remove(origin)
            return None
        entry = Entry(*row)
        with self._file.transaction():
            self._file.run("UPDATE page SET state = 1, tries = tries + 1 WHERE number = ?", (entry.number,))
        self._agenda.remove(origin)
        self._busy.add(origin)
        return entry

    def renew(self) -> set[str]:
        """See `Job.renew`; the only process never loses a lease."""
        return set(self._busy)

    def acquire(self, origin: str, delay: Delay) -> str:
        """See `Job.acquire`; the only process never waits."""
        return ""

    def release(self, origin: str, holder: str, pause: float) -> None:
        """See `Job.release`."""

    def postpone(self, origin: str, postponement: Postponement) -> None:
        """See `Job.postpone`."""
        self._postponed[origin] = postponement
        self._agenda.remove(origin)

    def postponed(self) -> dict[str, Postponement]:
        """See `JobReport.postponed`."""
        return dict(self._postponed)

    def pending(self, limit: int | None) -> bool:
        """See `Job.pending`."""
        return bool(self._agenda) and not (limit is not None and self._completed >= limit)

    def is_full(self, limit: int | None) -> bool:
        """See `Job.is_full`."""
        return limit is not None and self._completed + len(self._busy) >= limit

    @property
    def _completed(self) -> int:
        """Number of URLs that count for the limit."""
        return self._outcomes["stored"] + self._outcomes["checked"]

    def _count_queued(self, added: Iterable[LinkRequest]) -> None:
        for one in added:
            self._outcomes["queued"] += 1
            if one.origin not in self._agenda:
                self._make_due(one.origin)

    def _make_due(self, origin: str, seconds: float = 0.0) -> None:
        if origin not in self._busy and origin not in self._postponed:
            self._agenda.put(origin, self._clock() + seconds)

    # Results --------------------------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        requests: Iterable[LinkRequest] = (),
        skipped: Iterable[SkippedLink] = (),
        hosts: Iterable[str] = (),
        worker_metadata: Mapping[str, object] | None = None,
        pause: float = 0.0,
        sent: bool = True,
    ) -> bool:
        """See `Job.finish`."""
        with self._file.transaction():
            assignments = ", ".join(f"{name} = ?" for name in Result.__slots__)
            values = (storable(getattr(result, name)) for name in Result.__slots__)
            self._file.run(
                f"UPDATE page SET state = 2, time = ?, {assignments} WHERE number = ?",  # noqa: S608
                (time.time(), *values, entry.number),
            )
            if result.file is not None:
                self._insert_name(result.file)
            self._set_origin_times(entry.origin, pause, sent)
            self._insert_skipped(skipped)
            self._add_hosts(hosts)
            self._file.set_metadata("worker_metadata", worker_metadata or {})
            added = self._insert(requests)
        self._outcomes.update({result.outcome: 1, "queued": -1})
        if result.outcome == "stored":
            self._stored_bytes += result.size
        if result.status is not None and result.status < 500:
            del self._failures[entry.origin]
        self._count_queued(added)
        self._end(entry.origin)
        return True

    def defer(
        self,
        entry: Entry,
        *,
        count: bool,
        force: bool = False,
        seconds: float = 0.0,
        pause: float = 0.0,
        sent: bool = True,
        postpone: Postponement | None = None,
    ) -> None:
        """See `Job.defer`."""
        with self._file.transaction():
            self._file.run(
                "UPDATE page SET state = 0, tries = tries - ?, forced = forced OR ? WHERE number = ?",
                (0 if count else 1, force, entry.number),
            )
            self._set_origin_times(entry.origin, pause, sent)
        if postpone is not None:
            self.postpone(entry.origin, postpone)
        self._end(entry.origin, seconds)

    def _set_origin_times(self, origin: str, pause: float, sent: bool) -> None:
        run, now = self._file.run, time.time()
        run("INSERT OR IGNORE INTO origin VALUES (?, 0, NULL)", (origin,))
        if sent:
            run("UPDATE origin SET ended = ? WHERE origin = ?", (now, origin))
        if pause > 0:
            run("UPDATE origin SET not_before = ? WHERE origin = ?", (now + pause, origin))

    def _end(self, origin: str, seconds: float = 0.0) -> None:
        """Make an origin idle, and due after some seconds if it has queued URLs."""
        self._busy.discard(origin)
        rows = self._file.run("SELECT 1 FROM page WHERE state = 0 AND origin = ? LIMIT 1", (origin,))
        if rows.fetchone() is not None:
            self._make_due(origin, seconds)

    def count_failure(self, origin: str) -> int:
        """See `Job.count_failure`."""
        self._failures[origin] += 1
        return self._failures[origin]

    def _insert_skipped(self, skipped: Iterable[SkippedLink]) -> None:
        run = self._file.run
        for link in skipped:
            row = [storable(getattr(link, name)) for name in SkippedLink.__slots__]
            number = run("SELECT number FROM skipped_count WHERE reason = ?", (link.reason,)).fetchone()
            is_stored = number is None or number[0] < MAX_SKIPPED_LINKS
            if is_stored and not run("INSERT OR IGNORE INTO skipped_link VALUES (?, ?, ?, ?)", row).rowcount:
                continue
            run(
                "INSERT INTO skipped_count VALUES (?, 1)"
                " ON CONFLICT (reason) DO UPDATE SET number = number + 1",
                row[1:2],
            )

    def origin_times(self) -> list[tuple[str, float, float | None]]:
        """See `Job.origin_times`."""
        return self._file.run("SELECT origin, ended, not_before FROM origin").fetchall()

    def reserve(self, entry: Entry, name: str) -> bool:
        """See `Job.reserve`; `finish` stores the name, because no other page is written before it."""
        folded = name.lower()
        if self._file.run("SELECT 1 FROM name WHERE name = ?", (folded,)).fetchone():
            return False
        return not any(
            self._file.run("SELECT 1 FROM name WHERE name = ? AND NOT is_folder", (folder,)).fetchone()
            for folder in folders_of(folded)
        )

    def _insert_name(self, name: str) -> None:
        folded = name.lower()
        rows = [(folder, 1) for folder in folders_of(folded)]
        self._file.run_many("INSERT OR IGNORE INTO name VALUES (?, ?)", rows)
        self._file.run("INSERT INTO name VALUES (?, 0)", (folded,))
