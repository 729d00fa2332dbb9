"""How a refresh queues the pages of an SQLite job again."""

import time
from collections.abc import Callable, Iterable, Mapping

from .entry import Entry, LinkRequest, Result
from .order import rank, rank_by_sitemap
from .sqlite_file import JobFile
from .sqlite_report import SQLiteReport

_RESULT = ", ".join(Result.__slots__)


class SQLiteRefresh(SQLiteReport):
    """The part of an SQLite job that is for refreshes. The counts are cached in memory."""

    def __init__(self, file: JobFile) -> None:
        super().__init__(file)
        self._refresh = 0
        self._read_refresh()

    def _read_refresh(self) -> None:
        number = self.metadata().get("refresh")
        self._refresh = number if isinstance(number, int) else 0

    @property
    def worker(self) -> None:
        """See `Job.worker`."""

    @property
    def refresh(self) -> int:
        """See `JobReport.refresh`."""
        return self._refresh

    def metadata(self) -> dict[str, object]:
        """See `JobReport.metadata`."""
        return self._file.metadata("metadata")

    def _queue_all(self) -> None:
        """Queue each visited URL that is not in progress, with the rank of the next refresh.

        A URL that is queued already keeps its number of tries.
        """
        file, number = self._file, self._refresh + 1
        with file.transaction():
            file.run("CREATE INDEX IF NOT EXISTS skipped_source ON skipped_link (source)")
            rows = file.run(
                f"SELECT number, kind, time, lastmod, {_RESULT} FROM page"  # noqa: S608
                " WHERE outcome IS NOT NULL AND state != 1"
            )
            ranks = [
                (rank(kind, Result.restored(fields), visited, lastmod, number), page)
                for page, kind, visited, lastmod, *fields in rows
            ]
            file.run_many(
                "UPDATE page SET tries = iif(state = 0, tries, 0), forced = iif(state = 0, forced, 0),"
                " state = 0, rank = ? WHERE number = ?",
                ranks,
            )
            file.set_metadata("metadata", {"refresh": number, "refresh_started": time.time()})
        self._read_refresh()
        self._read_counts()

    def _requeue(self, since: float, is_lost: Callable[[str, str], bool]) -> int:
        """Queue pages as if they had not been visited, and return their number; see `SQLiteJob.requeue`."""
        file = self._file
        rows = file.run(
            "SELECT number, file, sha256 FROM page WHERE state != 1 AND outcome = 'stored' AND time >= ?"
            " AND file IS NOT NULL",
            (since,),
        ).fetchall()
        lost = [(number, name) for number, name, digest in rows if is_lost(name, digest)]
        results = ", ".join(f"{name} = NULL" for name in Result.__slots__)
        with file.transaction():
            file.run_many(
                f"UPDATE page SET state = 0, tries = 0, time = NULL, {results} WHERE number = ?",  # noqa: S608
                [(number,) for number, _ in lost],
            )
            names = [(name.lower(),) for _, name in lost]
            file.run_many("DELETE FROM name WHERE name = ? AND NOT is_folder", names)
        self._read_counts()
        return len(lost)

    def _set_lastmods(self, lastmods: Mapping[str, float]) -> None:
        """Store the times of changes that a sitemap states, and order the queued pages by them."""
        file = self._file
        for url, lastmod in lastmods.items():
            file.run("UPDATE page SET lastmod = ? WHERE url = ?", (lastmod, url))
            waiting = file.run(
                "SELECT rank, time FROM page WHERE url = ? AND state = 0 AND rank IS NOT NULL", (url,)
            ).fetchone()
            if waiting is not None:
                known, visited = waiting
                order = rank_by_sitemap(known, visited, lastmod)
                file.run("UPDATE page SET rank = ? WHERE url = ?", (order, url))

    def _queue_shortened(self, entry: Entry, requests: Iterable[LinkRequest]) -> list[tuple[str, str, int]]:
        """Make a refresh read known pages completely if it has found a shorter way to them.

        Links on them may have been too deep. The same holds for a resource that is now linked as a page.
        Return the origin, outcome and size of the pages that were finished.
        """
        if not self._refresh:
            return []
        again = []
        for one in requests:
            known = self._file.run(
                "SELECT number, state, outcome, size FROM page"
                " WHERE url = ? AND outcome IS NOT NULL AND state != 1"
                " AND (depth > ? OR (kind = 'resource' AND ? = 'page'))",
                (one.url, one.depth, one.kind),
            ).fetchone()
            if known is None or known[0] == entry.number:
                continue
            number, state, outcome, size = known
            self._file.run(
                "UPDATE page SET depth = min(depth, ?), etag = NULL, last_modified = NULL, state = 0,"
                " tries = 0, kind = CASE ? WHEN 'page' THEN 'page' ELSE kind END WHERE number = ?",
                (one.depth, one.kind, number),
            )
            if state == 2:
                again.append((one.origin, outcome, size))
        return again

    def _count_again(self, again: Iterable[tuple[str, str, int]]) -> None:
        for _, outcome, size in again:
            self._outcomes.update({outcome: -1, "queued": 1})
            self._visited_bytes -= size if outcome == "stored" else 0
