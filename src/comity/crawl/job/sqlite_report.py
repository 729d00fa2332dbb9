"""The results of a job in its SQLite file."""

from collections import Counter
from collections.abc import Iterator

from .entry import FETCHED, FinishedURL, Result, SkippedLink
from .sqlite_file import JobFile
from .urls import host_of


class SQLiteReport:
    """Implements `JobReport`, apart from `postponed`. The counts are cached in memory."""

    def __init__(self, file: JobFile) -> None:
        self._file = file
        self._read_counts()

    def _read_counts(self) -> None:
        file = self._file
        rows = file.run(
            "SELECT CASE state WHEN 2 THEN outcome ELSE 'queued' END AS counted, count(*)"
            " FROM page GROUP BY counted"
        )
        self._outcomes: Counter[str] = Counter(dict(rows.fetchall()))
        self._stored_at: Counter[str] | None = None
        self._stored_bytes, self._visited_bytes = file.run(
            "SELECT coalesce(sum(size), 0), coalesce(sum(iif(state = 2, size, 0)), 0)"
            " FROM page WHERE outcome = 'stored'"
        ).fetchone()

    def outcomes(self) -> dict[str, int]:
        """See `JobReport.outcomes`."""
        return {outcome: count for outcome, count in self._outcomes.items() if count}

    def queued(self) -> list[tuple[str, int]]:
        """See `JobReport.queued`."""
        rows = self._file.run(
            "SELECT origin, count(*) FROM page WHERE state < 2 GROUP BY origin ORDER BY origin"
        )
        return rows.fetchall()

    def stored_bytes(self) -> int:
        """See `JobReport.stored_bytes`."""
        return int(self._stored_bytes)

    def visited_bytes(self) -> int:
        """See `JobReport.visited_bytes`."""
        return int(self._visited_bytes)

    def stored_at(self, host: str) -> int:
        """See `JobReport.stored_at`; counted once, and then by `_count_stored`."""
        if self._stored_at is None:
            self._stored_at = Counter()
            for origin, number in self._file.run(
                "SELECT origin, count(*) FROM page WHERE state = 2 AND outcome IN ('stored', 'checked')"
                " GROUP BY origin"
            ):
                self._stored_at[host_of(origin)] += number
        return self._stored_at[host]

    def _count_stored(self, origin: str, outcome: str) -> None:
        if self._stored_at is not None and outcome in FETCHED:
            self._stored_at[host_of(origin)] += 1

    def skipped_counts(self) -> dict[str, int]:
        """See `JobReport.skipped_counts`."""
        return dict(
            self._file.run(
                "SELECT reason, number FROM skipped_count WHERE number > 0 ORDER BY reason"
            ).fetchall()
        )

    def skipped_links(self, most: int) -> list[SkippedLink]:
        """See `JobReport.skipped_links`."""
        rows = self._file.run(
            "SELECT url, reason, source, line, links FROM skipped_link"
            " WHERE url NOT IN (SELECT url FROM page) LIMIT ?",
            (most,),
        )
        return [SkippedLink(*row) for row in rows]

    def results(self, outcome: str | None = None) -> Iterator[FinishedURL]:
        """See `JobReport.results`."""
        names = ", ".join(Result.__slots__)
        condition = "outcome IS NOT NULL" if outcome is None else "outcome = ?"
        rows = self._file.run(
            f"SELECT url, depth, start, time, referrer, referrer_line, {names} FROM page"  # noqa: S608
            f" WHERE {condition} ORDER BY number",
            () if outcome is None else (outcome,),
        )
        for url, depth, start, when, referrer, line, *fields in rows:
            yield FinishedURL(url, depth, bool(start), when, Result.restored(fields), referrer, line)
