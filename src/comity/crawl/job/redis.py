"""A job on a Redis server, or one that speaks its protocol, for any number of workers.

One worker at a time holds the lease of a host, and fetches one of its URLs. The lease is that of
`RedisStore`, so workers and robots that share the server keep one gap between requests to a site. If a worker
does not renew its lease, because it was killed or cannot reach the server, another worker fetches the URL.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self
from uuid import uuid4

from ...errors import InvalidURL
from ...politeness.concurrency.holder import identity
from ...politeness.pace import GIVEN_UP, UNUSED, Delay, Lease, Wait
from ...protocol.origin import hostname
from ..urls import normalized
from .entry import Entry, LinkRequest, Postponement, Result, SkippedLink, folders_of, storable
from .interface import INTERRUPTED, LEASE, JobUnavailable
from .redis_client import JobClient, encoded
from .redis_report import RedisReport

#: Maximum seconds until the next `due`, because other workers may queue URLs meanwhile.
_POLL = 0.25


class RedisJob(RedisReport):
    """A job on a Redis server, as one of its workers: `with RedisJob(url, name, worker) as job`.

    `url` has the form that `RedisStore` takes. `name` is unique among the jobs of the server, `worker` among
    its workers; a worker keeps its name from one run to the next. `clock` returns seconds since 1970; `None`
    is the server's own clock. Raises `JobUnavailable` if the server cannot be reached, and `ValueError` for
    an invalid URL.
    """

    lease = LEASE

    def __init__(self, url: str, name: str, worker: str, clock: Callable[[], float] | None = None) -> None:
        """Register the worker; URLs that it had in progress when it was killed are queued again."""
        super().__init__(JobClient(url, name, clock))
        self._store = self._client.store
        self._worker = worker
        #: number and lease holder of the URL in progress per origin
        self._leases: dict[str, tuple[int, str]] = {}
        self._register(active=True)
        self._identify()

    def _identify(self) -> None:
        found = self._client.ask("hget", "metadata", "id")
        self._client.id = None if found is None else found.decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """See `Job.close`."""
        self._register(active=False)
        with self._client.translated_errors():
            self._store.close()

    def _register(self, *, active: bool) -> None:
        had = self._client.run("register", worker=self._worker, active=active)
        if had:
            ended = self._client.server_time() + INTERRUPTED
            with self._client.translated_errors():
                for origin, holder in zip(had[::2], had[1::2], strict=True):
                    self._store.release(hostname(origin.decode()), holder.decode(), ended, GIVEN_UP)

    # Metadata -------------------------------------------------------------------------------------

    def metadata(self) -> dict[str, object]:
        """See `Job.metadata`."""
        return self._client.metadata("metadata")

    def create(self, requests: Iterable[LinkRequest], hosts: Iterable[str], **metadata: object) -> bool:
        """See `Job.create`."""
        created = self._client.run(
            "create", requests=_rows(requests), hosts=list(hosts), metadata=encoded(metadata)
        )
        self._identify()
        return bool(created)

    def set_metadata(self, **metadata: object) -> None:
        """See `Job.set_metadata`."""
        self._client.set_metadata("metadata", metadata)

    def start_hosts(self) -> set[str]:
        """See `Job.start_hosts`."""
        return {host.decode() for host in self._client.ask("smembers", "hosts")}

    def worker_metadata(self) -> dict[str, object]:
        """See `Job.worker_metadata`."""
        return self.metadata_of(self._worker)

    def metadata_of(self, worker: str) -> dict[str, object]:
        """Return the metadata of any worker's folder."""
        return self._client.metadata(f"worker_metadata:{worker}")

    def set_worker_metadata(self, **metadata: object) -> None:
        """See `Job.set_worker_metadata`."""
        self._client.set_metadata(f"worker_metadata:{self._worker}", metadata)

    # Queue ----------------------------------------------------------------------------------------

    def add(self, requests: Iterable[LinkRequest]) -> None:
        """See `Job.add`."""
        self._client.run("add", requests=_rows(requests))

    def knows(self, url: str) -> bool:
        """See `Job.knows`."""
        return bool(self._client.ask("hexists", "number", url))

    def due(self) -> tuple[str | None, float]:
        """See `Job.due`."""
        origin, seconds = self._client.run("due")
        if origin:
            return origin.decode(), 0.0
        return None, min(float(seconds), _POLL) if seconds else float("inf")

    def reschedule(self, origin: str, seconds: float) -> None:
        """See `Job.reschedule`."""
        self._client.run("reschedule", origin=origin, seconds=seconds)

    def begin(self, origin: str, delay: Delay, limit: int | None) -> Entry | Wait | None:
        """See `Job.begin`."""
        holder = self._new_holder()
        with self._client.translated_errors():
            lease = self._store.acquire(hostname(origin), delay, holder, self._client.now(), LEASE)
            if not isinstance(lease, Lease):
                return lease
            key = self._store.pace_key(hostname(origin))
            found = self._client.run("begin", key, origin=origin, holder=holder, limit=limit)
            if not found:
                self._store.release(hostname(origin), holder, self._client.now(), UNUSED)
                return None
        number, page, tries, forced = found
        self._leases[origin] = int(number), holder
        url, page_origin, depth, kind, start, hops, *_ = json.loads(page)
        if page_origin != origin or not _is_page(url, origin):
            raise JobUnavailable(f"the Redis server of the job: {url[:200]!r} is not a page of {origin}")
        return Entry(int(number), url, origin, depth, kind, start, forced, tries, hops)

    def renew(self) -> set[str]:
        """See `Job.renew`."""
        leases = [(origin, number, holder) for origin, (number, holder) in self._leases.items()]
        keys = [self._store.pace_key(hostname(origin)) for origin, _, _ in leases]
        renewed = self._client.run("renew", *keys, worker=self._worker, leases=leases)
        held = {origin.decode() for origin in renewed}
        with self._client.translated_errors():
            for origin, _, holder in leases:
                if origin in held:
                    self._store.renew(hostname(origin), holder, self._client.now(), LEASE)
        return held

    def acquire(self, origin: str, delay: Delay) -> str | Wait:
        """See `Job.acquire`."""
        with self._client.translated_errors():
            # Not renewed: such a request is shorter than two leases.
            lease = self._store.acquire(
                hostname(origin), delay, self._new_holder(), self._client.now(), 2 * LEASE
            )
        return lease.holder if isinstance(lease, Lease) else lease

    def release(self, origin: str, holder: str, pause: float) -> None:
        """See `Job.release`."""
        with self._client.translated_errors():
            self._store.release(hostname(origin), holder, self._client.now(), GIVEN_UP, pause or None)

    def _new_holder(self) -> str:
        return f"{self._worker}:{uuid4().hex}@{identity()}"

    def postpone(self, origin: str, postponement: Postponement) -> None:
        """See `Job.postpone`."""
        self._client.run("postpone", origin=origin, postpone=[*map(storable, postponement)])

    def pending(self, limit: int | None) -> bool:
        """See `Job.pending`."""
        if limit is not None and self._completed() >= limit:
            return False
        return bool(self._client.ask("exists", "due"))

    def _completed(self) -> int:
        """Return the number of URLs that count for the limit."""
        outcomes = self.outcomes()
        return outcomes.get("stored", 0) + outcomes.get("checked", 0)

    def is_full(self, limit: int | None) -> bool:
        """See `Job.is_full`."""
        return limit is not None and bool(self._client.run("is_full", limit=limit))

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
        recorded = self._client.run(
            "finish",
            number=entry.number,
            origin=entry.origin,
            holder=self._holder(entry),
            outcome=result.outcome,
            result=json.dumps(_row(result)),
            size=result.size,
            answered=result.status is not None and result.status < 500,
            requests=_rows(requests),
            skipped=_rows(skipped),
            hosts=list(hosts),
            worker=self._worker,
            metadata=encoded(worker_metadata or {}),
        )
        self._end(entry, pause, sent)
        return bool(recorded)

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
        self._client.run(
            "defer",
            number=entry.number,
            origin=entry.origin,
            holder=self._holder(entry),
            count=count,
            force=force,
            seconds=seconds,
            postpone=None if postpone is None else [*map(storable, postpone)],
        )
        self._end(entry, pause, sent)

    def _holder(self, entry: Entry) -> str:
        """Return the lease holder of an entry, or an empty string if the lease is over."""
        number, holder = self._leases.get(entry.origin, (0, ""))
        return holder if number == entry.number else ""

    def _end(self, entry: Entry, pause: float, sent: bool) -> None:
        holder = self._holder(entry)
        if holder:
            del self._leases[entry.origin]
            with self._client.translated_errors():
                status = GIVEN_UP if sent or pause else UNUSED
                self._store.release(hostname(entry.origin), holder, self._client.now(), status, pause or None)

    def count_failure(self, origin: str) -> int:
        """See `Job.count_failure`."""
        return int(self._client.ask("hincrby", "failures", origin, 1))

    def origin_times(self) -> list[tuple[str, float, float | None]]:
        """See `Job.origin_times`; the times are on the server."""
        return []

    def reserve(self, entry: Entry, name: str) -> bool:
        """See `Job.reserve`."""
        folded = name.lower()
        reply = self._client.run("reserve", number=entry.number, name=folded, folders=folders_of(folded))
        return bool(reply)


def _is_page(url: str, origin: str) -> bool:
    """Return whether a URL has the form that a job stores, with this origin."""
    try:
        return origin.startswith(("http:", "https:")) and normalized(url) == (origin, url)
    except InvalidURL:
        return False


def _row(value: LinkRequest | SkippedLink | Result) -> list[Any]:
    return [storable(getattr(value, name)) for name in value.__slots__]


def _rows(values: Iterable[LinkRequest] | Iterable[SkippedLink]) -> list[list[Any]]:
    return [_row(value) for value in values]
