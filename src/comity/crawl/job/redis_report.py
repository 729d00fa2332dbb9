"""The results of a job on a Redis server."""

import json
from collections.abc import Iterator

from .entry import FinishedURL, Postponement, Result, SkippedLink
from .redis_client import JobClient

#: Number of URLs read from the server at a time.
_BATCH = 1000


class RedisReport:
    """Implements `JobReport`."""

    def __init__(self, client: JobClient) -> None:
        self._client = client

    def outcomes(self) -> dict[str, int]:
        """See `JobReport.outcomes`."""
        counts = {name.decode(): int(count) for name, count in self._client.ask("hgetall", "outcome").items()}
        return {outcome: count for outcome, count in counts.items() if count}

    def queued(self) -> list[tuple[str, int]]:
        """See `JobReport.queued`."""
        ask = self._client.ask
        busy = set(ask("hkeys", "in_progress"))
        origins = sorted({*ask("zrange", "due", 0, -1), *ask("hkeys", "postponed")})
        counts = [ask("zcard", f"queued:{each.decode()}") + (each in busy) for each in origins]
        return [(each.decode(), count) for each, count in zip(origins, counts, strict=True) if count]

    def postponed(self) -> dict[str, Postponement]:
        """See `JobReport.postponed`."""
        found = self._client.ask("hgetall", "postponed").items()
        return {origin.decode(): Postponement(*json.loads(value)) for origin, value in found}

    def stored_bytes(self) -> int:
        """See `JobReport.stored_bytes`."""
        return int(self._client.ask("get", "bytes") or 0)

    def visited_bytes(self) -> int:
        """See `JobReport.visited_bytes`."""
        return int(self._client.ask("get", "visited_bytes") or 0)

    def stored_at(self, host: str) -> int:
        """See `JobReport.stored_at`."""
        return int(self._client.ask("hget", "stored_at", host) or 0)

    def skipped_counts(self) -> dict[str, int]:
        """See `JobReport.skipped_counts`."""
        counts = sorted(self._client.ask("hgetall", "skipped").items())
        return {reason.decode(): int(count) for reason, count in counts if int(count)}

    def skipped_links(self, most: int) -> list[SkippedLink]:
        """See `JobReport.skipped_links`."""
        found: list[SkippedLink] = []
        cursor = None
        while cursor != 0 and len(found) < most:
            cursor, batch = self._client.ask("hscan", "skipped_link", cursor or 0, None, _BATCH)
            links = [SkippedLink(*json.loads(value)) for value in batch.values()]
            numbers = self._client.ask("hmget", "number", [link.url for link in links]) if links else []
            found += [link for link, number in zip(links, numbers, strict=True) if number is None]
        return found[:most]

    def results(self, outcome: str | None = None) -> Iterator[FinishedURL]:
        """See `JobReport.results`."""
        ask = self._client.ask
        last = int(ask("get", "last") or 0)
        for first in range(1, last + 1, _BATCH):
            numbers = range(first, min(first + _BATCH, last + 1))
            for page, result in zip(
                ask("hmget", "page", numbers), ask("hmget", "result", numbers), strict=True
            ):
                if page is None or result is None:
                    continue
                *fields, when = json.loads(result)
                if outcome in (None, fields[0]):
                    url, _, depth, _, start, _, referrer, line = json.loads(page)
                    yield FinishedURL(url, depth, bool(start), when, Result.restored(fields), referrer, line)
