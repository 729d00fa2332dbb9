"""How a refresh queues the pages of a Redis job again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from .entry import Result
from .order import rank, rank_by_sitemap
from .redis_client import JobClient
from .redis_report import RedisReport

#: Number of pages that are queued in one step.
_BATCH = 500

_Item = TypeVar("_Item")


class RedisRefresh(RedisReport):
    """The part of a Redis job that is for refreshes.

    Pages are queued in several steps, so that the server is not blocked. If the worker is killed, the next
    one that opens the job continues.
    """

    def __init__(self, client: JobClient) -> None:
        super().__init__(client)
        self._refresh = 0

    @property
    def refresh(self) -> int:
        """See `JobReport.refresh`."""
        return self._refresh

    def metadata(self) -> dict[str, object]:
        """See `JobReport.metadata`."""
        return self._client.metadata("metadata")

    def start_refresh(self) -> bool:
        """See `Job.start_refresh`."""
        started = bool(self._client.run("start_refresh", number=self._refresh + 1))
        self._read_refresh()
        return started

    def _read_refresh(self) -> None:
        """Read the number of the refresh, and queue the rest of its pages."""
        self._refresh = int(self._client.ask("hget", "metadata", "refresh") or 0)
        done = self._client.ask("get", "queue_again")
        if done is None:
            return
        last = int(self._client.ask("get", "last") or 0)
        for numbers in _batches(range(int(done) + 1, last + 1)):
            ranks = [
                (number, rank(page[3], result, visited, lastmod, self._refresh))
                for number, page, result, visited, lastmod in self._visited(numbers)
            ]
            self._client.run("queue_again", refresh=self._refresh, ranks=ranks, done=numbers[-1])
        self._client.run("queue_again", refresh=self._refresh, ranks=[], done=0)

    def _visited(
        self, numbers: Sequence[int]
    ) -> Iterator[tuple[int, list[Any], Result, float, float | None]]:
        """Yield the visited pages among these numbers, with result, time of the visit and `lastmod`."""
        found = [self._client.ask("hmget", key, numbers) for key in ("page", "result", "lastmod")]
        for number, page, result, lastmod in zip(numbers, *found, strict=True):
            if page is not None and result is not None:
                *fields, visited = json.loads(result)
                lastmod = None if lastmod is None else float(lastmod)
                yield number, json.loads(page), Result.restored(fields), visited, lastmod

    def _order_by_sitemap(self, lastmods: Mapping[str, float]) -> None:
        """Order the queued pages by the times that a sitemap states. A kill loses only this order."""
        for urls in _batches(list(lastmods)) if self._refresh else ():
            found = self._client.ask("hmget", "number", urls)
            known = {int(number): url for number, url in zip(found, urls, strict=True) if number is not None}
            ranks = []
            if known:
                before = self._client.ask("hmget", "rank", list(known))
                waiting = {number: int(one) for number, one in zip(known, before, strict=True) if one}
                for number, _, _, visited, _ in self._visited(list(waiting)) if waiting else ():
                    lastmod = lastmods[known[number]]
                    ranks.append((number, rank_by_sitemap(waiting[number], visited, lastmod)))
            if ranks:
                self._client.run("queue_again", refresh=self._refresh, ranks=ranks)


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for first in range(0, len(items), _BATCH):
        yield items[first : first + _BATCH]
