"""The links of a job in its SQLite file: URLs that are queued, and links that are skipped.

Most links of a page are on the pages before it too. So the latest ones are also kept in memory, and only the
others are looked up in the file.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

from .entry import LinkRequest, SkippedLink, storable
from .interface import MAX_SKIPPED_LINKS
from .sqlite_file import JobFile

#: Maximum number of URLs, and of skipped links, that are kept in memory: about 10 MB each.
_MAX_RECENT = 50_000

#: Maximum number of URLs in one query.
_BATCH = 500

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class SQLiteLinks:
    """Stores the links of pages. Call `remember` when the transaction of a page is complete."""

    def __init__(self, file: JobFile) -> None:
        self._file = file
        #: URL -> its depth at most, and whether a link to it as a page is stored
        self._known: dict[str, tuple[int, bool]] = {}
        self._skipped: dict[tuple[str, str], None] = {}
        #: the links of the transaction
        self._new_requests: list[LinkRequest] = []
        self._new_skipped: list[SkippedLink] = []

    def insert(self, requests: Iterable[LinkRequest]) -> list[LinkRequest]:
        """Insert the URLs that are new, update those that are queued, and return the new ones."""
        first: dict[str, LinkRequest] = {}
        again: list[LinkRequest] = []
        for one in requests:
            if not self._is_known(one) and first.setdefault(one.url, one) is not one:
                again.append(one)
        existing = self._existing(list(first))
        added = [one for one in first.values() if one.url not in existing]
        self._file.run_many(
            "INSERT INTO page (url, origin, depth, kind, start, hops, referrer, referrer_line,"
            " forced, state, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
            ([*map(storable, one)] for one in added),
        )
        # A URL that is linked and embedded is a page.
        self._file.run_many(
            "UPDATE page SET depth = min(depth, ?),"
            " kind = iif(? = 'page' AND kind = 'resource', 'page', kind)"
            " WHERE url = ? AND state = 0 AND (depth > ? OR (? = 'page' AND kind = 'resource'))",
            [
                (one.depth, one.kind, storable(one.url), one.depth, one.kind)
                for one in (*(first[url] for url in existing), *again)
            ],
        )
        self._new_requests += [*first.values(), *again]
        return added

    def _is_known(self, one: LinkRequest) -> bool:
        depth, is_page = self._known.get(one.url, (one.depth + 1, False))
        return depth <= one.depth and (is_page or one.kind != "page")

    def _existing(self, urls: Sequence[str]) -> set[str]:
        """Return the URLs that the job has."""
        found: set[str] = set()
        for start in range(0, len(urls), _BATCH):
            batch = {storable(url): url for url in urls[start : start + _BATCH]}
            marks = ", ".join("?" * len(batch))
            rows = self._file.run(f"SELECT url FROM page WHERE url IN ({marks})", [*batch])  # noqa: S608
            found.update(batch[url] for (url,) in rows)
        return found

    def forget_skipped(self, sources: Iterable[str]) -> None:
        """Delete the skipped links of some files, which a refresh has read again."""
        run = self._file.run
        counts: Counter[str] = Counter()
        for source in map(storable, sources):
            rows = run("SELECT url, reason, links FROM skipped_link WHERE source = ?", (source,)).fetchall()
            run("DELETE FROM skipped_link WHERE source = ?", (source,))
            for url, reason, links in rows:
                counts[reason] += links
                self._skipped.pop((url, reason), None)
        for reason, number in counts.items():
            run("UPDATE skipped_count SET number = number - ? WHERE reason = ?", (number, reason))

    def insert_skipped(self, skipped: Iterable[SkippedLink]) -> None:
        """Insert the skipped links that are new, up to a number per reason, and count them."""
        run = self._file.run
        new = [link for link in skipped if (link.url, link.reason) not in self._skipped]
        if not new:
            return
        before = Counter(dict(run("SELECT reason, number FROM skipped_count").fetchall()))
        counts: Counter[str] = Counter()
        insert = "INSERT OR IGNORE INTO skipped_link VALUES (?, ?, ?, ?, ?)"
        for link in new:
            is_stored = before[link.reason] + counts[link.reason] < MAX_SKIPPED_LINKS
            if not is_stored or run(insert, [*map(storable, link)]).rowcount:
                counts[link.reason] += link.links
        self._file.run_many(
            "INSERT INTO skipped_count VALUES (?, ?)"
            " ON CONFLICT (reason) DO UPDATE SET number = number + excluded.number",
            counts.items(),
        )
        self._new_skipped += new

    def remember(self) -> None:
        """Keep the links of a complete transaction in memory."""
        for one in self._new_requests:
            depth, is_page = self._known.get(one.url, (one.depth, False))
            self._known[one.url] = min(depth, one.depth), is_page or one.kind == "page"
        for link in self._new_skipped:
            self._skipped[link.url, link.reason] = None
        self.forget()
        _shorten(self._known)
        _shorten(self._skipped)

    def drop(self, url: str) -> None:
        """Drop a URL from memory that is queued again: links that came meanwhile did not change it."""
        self._known.pop(url, None)

    def forget(self) -> None:
        """Drop the links of a transaction that was not completed."""
        self._new_requests, self._new_skipped = [], []


def _shorten(known: dict[_Key, _Value]) -> None:
    """Drop the oldest half of a cache that is full."""
    if len(known) > _MAX_RECENT:
        for key in list(islice(known, len(known) // 2)):
            del known[key]
