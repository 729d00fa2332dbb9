"""A job on a Redis server, or one that speaks its protocol: any number of machines work on it.

One worker at a time has the turn at an origin, which is that of the robots' `RedisStore`: so all workers,
and all else that shares the server, keep one distance to a site. With the turn goes one page of that
origin. Both are lent: what a worker does not renew, since it was killed or cannot reach the server, others
take.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self
from uuid import uuid4

from redis.exceptions import RedisError

from ..errors import StoreUnavailable
from ..robot.pace import GIVEN_UP, UNUSED, Demand, Turn, Wait
from ..robot.store import RedisStore
from . import redis_script as script
from .entry import Entry, Omission, Result, Want, sound
from .job import LEASE, JobUnusable
from .mirror import folders_of

__all__ = ["RedisJob"]

#: Seconds after which to ask again whether anything is due: others may want something meanwhile.
_POLL = 0.25

#: So many pages are read from the server at a time.
_BATCH = 1000

_SCRIPTS = (
    "ADD",
    "BEGIN",
    "CREATE",
    "DEFER",
    "DUE",
    "FINISH",
    "LEAVE",
    "OPEN",
    "POSTPONE",
    "RENEW",
    "RESERVE",
)


class RedisJob:
    """One job as one of its workers has it: `with RedisJob(url, name, worker) as job`.

    `url` is as `RedisStore` takes it, `name` is the job's among others of the server, and `worker` is the
    worker's among all others, which it keeps from one run to the next. `clock` gives seconds since 1970;
    `None` is the server's own. Raises `JobUnusable` where the server cannot be had, and `ValueError` for a
    URL that is none.
    """

    def __init__(self, url: str, name: str, worker: str, clock: Callable[[], float] | None = None) -> None:
        """Begin to work, or go on; what the worker had under way when it was killed is wanted again."""
        self._clock = clock
        self._worker = worker
        # The braces keep all keys of a job on one server of a cluster.
        self._prefix = f"comity:job:{{{name}}}:"
        #: the holder of the turn at each origin that has a page under way here
        self._turns: dict[str, str] = {}
        with self._usable():
            self._store = RedisStore(url)
            self._client: Any = self._store.client
            self._scripts = {each: self._client.register_script(getattr(script, each)) for each in _SCRIPTS}
            self._release(works=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """See `Job.close`."""
        with self._usable():
            self._release(works=False)
            self._store.close()

    def _release(self, *, works: bool) -> None:
        had = self._do("OPEN", worker=self._worker, works=works)
        for origin, holder in zip(had[::2], had[1::2], strict=True):
            self._store.end(origin.decode(), holder.decode(), self._now(), GIVEN_UP)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say by our own error that the server is not to be had."""
        try:
            yield
        except (RedisError, StoreUnavailable, OSError) as error:
            raise JobUnusable(f"the Redis server of the job: {error}") from error

    def _do(self, step: str, /, **arguments: object) -> Any:
        arguments["now"] = self._now()
        known = {name: value for name, value in arguments.items() if value is not None}
        with self._usable():
            return self._scripts[step](keys=[self._prefix], args=[json.dumps(known)])

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()

    def _ask(self, command: str, key: str, *arguments: object) -> Any:
        with self._usable():
            return getattr(self._client, command)(self._prefix + key, *arguments)

    # What the job is ------------------------------------------------------------------------------

    def facts(self) -> dict[str, object]:
        """See `Job.facts`."""
        return self._said("fact")

    def mine(self) -> dict[str, object]:
        """See `Job.mine`."""
        return self._said(f"mine:{self._worker}")

    def keep(self, **mine: object) -> None:
        """See `Job.keep`."""
        with self._usable():
            self._client.hset(f"{self._prefix}mine:{self._worker}", mapping=_told(mine))

    def _said(self, key: str) -> dict[str, object]:
        return {name.decode(): json.loads(value) for name, value in self._ask("hgetall", key).items()}

    def create(self, wants: Iterable[Want], hosts: Iterable[str], **facts: object) -> bool:
        """See `Job.create`."""
        return bool(self._do("CREATE", wants=_rows(wants), hosts=list(hosts), facts=_told(facts)))

    def hosts(self) -> set[str]:
        """See `Job.hosts`."""
        return {host.decode() for host in self._ask("smembers", "hosts")}

    # What is wanted -------------------------------------------------------------------------------

    def add(self, wants: Iterable[Want], omissions: Iterable[Omission] = ()) -> None:
        """See `Job.add`."""
        self._do("ADD", wants=_rows(wants), omissions=_rows(omissions))

    def knows(self, url: str) -> bool:
        """See `Job.knows`."""
        return bool(self._ask("hexists", "number", url))

    def due(self) -> tuple[str | None, float]:
        """See `Job.due`."""
        origin, seconds = self._do("DUE")
        if origin:
            return origin.decode(), 0.0
        return None, min(float(seconds), _POLL) if seconds else float("inf")

    def postpone(self, origin: str, seconds: float) -> None:
        """See `Job.postpone`."""
        self._do("POSTPONE", origin=origin, seconds=seconds)

    def begin(self, origin: str, demand: Demand, limit: int | None) -> Entry | Wait | None:
        """See `Job.begin`."""
        holder = f"{self._worker}:{uuid4().hex}"
        with self._usable():
            turn = self._store.begin(origin, demand, holder, self._now(), LEASE)
            if not isinstance(turn, Turn):
                return turn
            found = self._do("BEGIN", origin=origin, holder=holder, limit=limit)
            if not found:
                self._store.end(origin, holder, self._now(), UNUSED)
                return None
        self._turns[origin] = holder
        number, page, tries, forced = found
        url, origin, depth, kind, start, hops = json.loads(page)
        return Entry(int(number), url, origin, depth, kind, start, forced, tries, hops)

    def renew(self) -> None:
        """See `Job.renew`."""
        self._do("RENEW", worker=self._worker, origins=list(self._turns))
        with self._usable():
            for origin, holder in self._turns.items():
                self._store.renew(origin, holder, self._now(), LEASE)

    def leave(self, origin: str, until: float, why: str) -> None:
        """See `Job.leave`."""
        self._do("LEAVE", origin=origin, until=until, why=sound(why))

    def left(self) -> dict[str, tuple[float, str]]:
        """See `Job.left`."""
        left = {origin.decode(): json.loads(said) for origin, said in self._ask("hgetall", "left").items()}
        return {origin: (until, why) for origin, (until, why) in left.items()}

    def pending(self, limit: int | None) -> bool:
        """See `Job.pending`."""
        if limit is not None and self.outcomes().get("stored", 0) >= limit:
            return False
        return bool(self._ask("exists", "due"))

    def is_full(self, limit: int | None) -> bool:
        """See `Job.is_full`."""
        if limit is None:
            return False
        return self.outcomes().get("stored", 0) + int(self._ask("hlen", "under_way")) >= limit

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
    ) -> bool:
        """See `Job.finish`."""
        taken = self._do(
            "FINISH",
            number=entry.number,
            origin=entry.origin,
            holder=self._turns.get(entry.origin, ""),
            outcome=result.outcome,
            result=json.dumps([*map(sound, _fields(result))]),
            octets=result.octets,
            wants=_rows(wants),
            omissions=_rows(omissions),
            hosts=list(hosts),
            worker=self._worker,
            mine=_told(mine or {}),
        )
        self._end(entry.origin, pause)
        return bool(taken)

    def defer(self, entry: Entry, *, pause: float = 0.0, count: bool, force: bool = False) -> None:
        """See `Job.defer`."""
        holder = self._turns.get(entry.origin, "")
        self._do("DEFER", number=entry.number, origin=entry.origin, holder=holder, count=count, force=force)
        self._end(entry.origin, pause)

    def _end(self, origin: str, pause: float) -> None:
        """Give the turn at an origin back, which is to be left alone for so many seconds."""
        holder = self._turns.pop(origin, None)
        if holder is not None:
            with self._usable():
                self._store.end(origin, holder, self._now(), GIVEN_UP, pause or None)

    def failed(self, origin: str) -> int:
        """See `Job.failed`."""
        return int(self._ask("hincrby", "failures", origin, 1))

    def answered(self, origin: str) -> None:
        """See `Job.answered`."""
        self._ask("hdel", "failures", origin)

    def paces(self) -> list[tuple[str, float, float | None]]:
        """See `Job.paces`; all are shared."""
        return []

    def reserve(self, entry: Entry, name: str) -> bool:
        """See `Job.reserve`."""
        folded = name.lower()
        return bool(self._do("RESERVE", number=entry.number, name=folded, folders=folders_of(folded)))

    # What there is to tell ------------------------------------------------------------------------

    def outcomes(self) -> dict[str, int]:
        """See `Job.outcomes`."""
        counts = {name.decode(): int(count) for name, count in self._ask("hgetall", "outcome").items()}
        return {outcome: count for outcome, count in counts.items() if count}

    def wanted(self) -> list[tuple[str, int]]:
        """See `Job.wanted`."""
        busy = set(self._ask("hkeys", "under_way"))
        origins = sorted({*self._ask("zrange", "due", 0, -1), *self._ask("hkeys", "left")})
        counts = [self._ask("zcard", f"wanted:{each.decode()}") + (each in busy) for each in origins]
        return [(each.decode(), count) for each, count in zip(origins, counts, strict=True) if count]

    def octets(self) -> int:
        """See `Job.octets`."""
        return int(self._ask("get", "octets") or 0)

    def omitted(self) -> dict[str, int]:
        """See `Job.omitted`."""
        counts = sorted(self._ask("hgetall", "omitted").items())
        return {reason.decode(): int(count) for reason, count in counts}

    def omissions(self, most: int) -> list[Omission]:
        """See `Job.omissions`."""
        found: list[Omission] = []
        cursor = None
        while cursor != 0 and len(found) < most:
            cursor, kept = self._ask("hscan", "omission", cursor or 0, None, _BATCH)
            links = [Omission(*json.loads(value)) for value in kept.values()]
            known = self._ask("hmget", "number", [one.url for one in links]) if links else []
            found += [one for one, number in zip(links, known, strict=True) if number is None]
        return found[:most]

    def results(self) -> Iterator[tuple[str, int, bool, float | None, Result]]:
        """See `Job.results`."""
        last = int(self._ask("get", "last") or 0)
        for first in range(1, last + 1, _BATCH):
            numbers = range(first, min(first + _BATCH, last + 1))
            pages, results = self._ask("hmget", "page", numbers), self._ask("hmget", "result", numbers)
            for page, known in zip(pages, results, strict=True):
                if page is not None and known is not None:
                    url, _, depth, _, start, _ = json.loads(page)
                    *said, when = json.loads(known)
                    yield url, depth, bool(start), when, Result(*said)


def _fields(value: Want | Omission | Result) -> list[Any]:
    return [getattr(value, name) for name in value.__slots__]


def _rows(values: "Iterable[Want] | Iterable[Omission]") -> list[list[Any]]:
    return [[sound(field) for field in _fields(value)] for value in values]


def _told(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: json.dumps(value) for name, value in facts.items()}
