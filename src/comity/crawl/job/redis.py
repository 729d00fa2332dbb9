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

from redis.exceptions import RedisError, ResponseError

from ...errors import InvalidURL, StoreUnavailable
from ...politeness.pace import GIVEN_UP, UNUSED, Demand, Turn, Wait
from ...politeness.stores import RedisStore
from ..address import address
from ..output.mirror import folders_of
from . import script as script
from .entry import Entry, Omission, Result, Want, sound
from .interface import CUT_OFF, LEASE, JobUnusable

__all__ = ["RedisJob"]

#: Seconds after which to ask again whether anything is due: others may want something meanwhile.
_POLL = 0.25

#: So many pages are read from the server at a time.
_BATCH = 1000


class RedisJob:
    """One job as one of its workers has it: `with RedisJob(url, name, worker) as job`.

    `url` is as `RedisStore` takes it, `name` is the job's among others of the server, and `worker` is the
    worker's among all others, which it keeps from one run to the next. `clock` gives seconds since 1970;
    `None` is the server's own. Raises `JobUnusable` where the server cannot be had, and `ValueError` for a
    URL that is none.
    """

    lease = LEASE

    def __init__(self, url: str, name: str, worker: str, clock: Callable[[], float] | None = None) -> None:
        """Begin to work, or go on; what the worker had under way when it was killed is wanted again."""
        self._clock = clock
        self._worker = worker
        self._prefix = f"comity:job:{name}:"
        #: the number of the page that is under way here at each origin, and the holder of the turn there
        self._turns: dict[str, tuple[int, str]] = {}
        #: which job this is, once it is begun
        self._id: str | None = None
        with self._usable():
            self._store = RedisStore(url)
            self._client: Any = self._store.client
            self._scripts = {
                each: self._client.register_script(getattr(script, each)) for each in script.__all__
            }
            _check(self._client.info("memory"))
            self._release(works=True)
            self._identify()

    def _identify(self) -> None:
        found = self._ask("hget", "fact", "id")
        self._id = None if found is None else found.decode()

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
        if had:
            seconds, microseconds = self._client.time()
            now = seconds + microseconds / 1e6 if self._clock is None else self._clock()
            for origin, holder in zip(had[::2], had[1::2], strict=True):
                # Nobody knows how long what was under way goes on.
                self._store.end(origin.decode(), holder.decode(), now + CUT_OFF, GIVEN_UP)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say by our own error that the server is not to be had."""
        try:
            yield
        except JobUnusable:
            raise
        except ResponseError as error:
            lost = str(error).startswith("LOST")
            why = "it has lost the job, or has another of that name" if lost else str(error)
            raise JobUnusable(f"the Redis server of the job: {why}") from error
        except (RedisError, StoreUnavailable, OSError) as error:
            raise JobUnusable(f"the Redis server of the job: {error.__cause__ or error}") from error

    def _do(self, step: str, /, *keys: str, **arguments: object) -> Any:
        arguments.update(now=self._now(), id=self._id)
        known = {name: value for name, value in arguments.items() if value is not None}
        with self._usable():
            return self._scripts[step](keys=[self._prefix, *keys], args=[json.dumps(known)])

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
        return self.of_worker(self._worker)

    def of_worker(self, worker: str) -> dict[str, object]:
        """Give what a worker wrote down of what its folder has."""
        return self._said(f"mine:{worker}")

    def keep(self, **mine: object) -> None:
        """See `Job.keep`."""
        with self._usable():
            self._client.hset(f"{self._prefix}mine:{self._worker}", mapping=_told(mine))

    def _said(self, key: str) -> dict[str, object]:
        return {name.decode(): json.loads(value) for name, value in self._ask("hgetall", key).items()}

    def create(self, wants: Iterable[Want], hosts: Iterable[str], **facts: object) -> bool:
        """See `Job.create`."""
        begun = self._do("CREATE", wants=_rows(wants), hosts=list(hosts), facts=_told(facts))
        self._identify()
        return bool(begun)

    def tell(self, **facts: object) -> None:
        """See `Job.tell`."""
        with self._usable():
            self._client.hset(f"{self._prefix}fact", mapping=_told(facts))

    def hosts(self) -> set[str]:
        """See `Job.hosts`."""
        return {host.decode() for host in self._ask("smembers", "hosts")}

    # What is wanted -------------------------------------------------------------------------------

    def add(self, wants: Iterable[Want]) -> None:
        """See `Job.add`."""
        self._do("ADD", wants=_rows(wants))

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
        holder = self._new_holder()
        with self._usable():
            turn = self._store.begin(origin, demand, holder, self._now(), LEASE)
            if not isinstance(turn, Turn):
                return turn
            key = self._store.pace_key(origin)
            found = self._do("BEGIN", key, origin=origin, holder=holder, limit=limit)
            if not found:
                self._store.end(origin, holder, self._now(), UNUSED)
                return None
        number, page, tries, forced = found
        self._turns[origin] = int(number), holder
        url, whose, depth, kind, start, hops = json.loads(page)
        if whose != origin or not _is_page(url, origin):
            raise JobUnusable(f"the Redis server of the job: {url[:200]!r} is no page of {origin}")
        return Entry(int(number), url, origin, depth, kind, start, forced, tries, hops)

    def renew(self) -> set[str]:
        """See `Job.renew`."""
        turns = [(origin, number, holder) for origin, (number, holder) in self._turns.items()]
        keys = [self._store.pace_key(origin) for origin, _, _ in turns]
        held = {origin.decode() for origin in self._do("RENEW", *keys, worker=self._worker, turns=turns)}
        with self._usable():
            for origin, _, holder in turns:
                if origin in held:
                    self._store.renew(origin, holder, self._now(), LEASE)
        return held

    def visit(self, origin: str, demand: Demand) -> str | Wait:
        """See `Job.visit`."""
        with self._usable():
            # It is not renewed, and no request of the kind takes as long.
            turn = self._store.begin(origin, demand, self._new_holder(), self._now(), 2 * LEASE)
        return turn.holder if isinstance(turn, Turn) else turn

    def visited(self, origin: str, holder: str, pause: float) -> None:
        """See `Job.visited`."""
        with self._usable():
            self._store.end(origin, holder, self._now(), GIVEN_UP, pause or None)

    def _new_holder(self) -> str:
        return f"{self._worker}:{uuid4().hex}"

    def leave(self, origin: str, until: float, why: str) -> None:
        """See `Job.leave`."""
        self._do("LEAVE", origin=origin, said=[until, sound(why)])

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
        return limit is not None and bool(self._do("FULL", limit=limit))

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
        taken = self._do(
            "FINISH",
            number=entry.number,
            origin=entry.origin,
            holder=self._holder(entry),
            outcome=result.outcome,
            result=json.dumps([*map(sound, _fields(result))]),
            octets=result.octets,
            answered=result.status is not None and result.status < 500,
            wants=_rows(wants),
            omissions=_rows(omissions),
            hosts=list(hosts),
            worker=self._worker,
            mine=_told(mine or {}),
        )
        self._end(entry, pause, sent)
        return bool(taken)

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
        self._do(
            "DEFER",
            number=entry.number,
            origin=entry.origin,
            holder=self._holder(entry),
            count=count,
            force=force,
            said=None if leave is None else [leave[0], sound(leave[1])],
        )
        self._end(entry, pause, sent)

    def _holder(self, entry: Entry) -> str:
        """Give the holder of the turn by which a page was begun here, or nothing if that is over."""
        number, holder = self._turns.get(entry.origin, (0, ""))
        return holder if number == entry.number else ""

    def _end(self, entry: Entry, pause: float, sent: bool) -> None:
        """Give the turn at an origin back, which is to be left alone for so many seconds."""
        holder = self._holder(entry)
        if holder:
            del self._turns[entry.origin]
            with self._usable():
                status = GIVEN_UP if sent or pause else UNUSED
                self._store.end(entry.origin, holder, self._now(), status, pause or None)

    def failed(self, origin: str) -> int:
        """See `Job.failed`."""
        return int(self._ask("hincrby", "failures", origin, 1))

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


def _is_page(url: str, origin: str) -> bool:
    """Say whether a URL is one that a job keeps, of an origin."""
    try:
        return origin.startswith(("http:", "https:")) and address(url) == (origin, url)
    except InvalidURL:
        return False


def _check(memory: Mapping[str, Any]) -> None:
    """Complain of a server that forgets what it is told when it is full."""
    policy = memory.get("maxmemory_policy", "noeviction")
    if memory.get("maxmemory") and policy != "noeviction":
        raise JobUnusable(
            f"the Redis server of the job forgets keys when it is full (maxmemory-policy {policy}):"
            " it takes noeviction"
        )


def _fields(value: Want | Omission | Result) -> list[Any]:
    return [getattr(value, name) for name in value.__slots__]


def _rows(values: "Iterable[Want] | Iterable[Omission]") -> list[list[Any]]:
    return [[sound(field) for field in _fields(value)] for value in values]


def _told(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: json.dumps(value) for name, value in facts.items()}
