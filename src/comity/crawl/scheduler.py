"""Scrapy's scheduler and duplicate filter over a job on disk: `SCHEDULER` and `DUPEFILTER_CLASS`.

A request leaves here when its origin is ready for it, one at a time to an origin, so a slow site keeps no
other waiting. It counts as under way until the spider says what became of it, by `finish` or `defer`; a
process that is killed before leaves it wanted.
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from itertools import count

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.asyncio import CallLaterResult, call_later

from ..errors import InvalidURL
from ..integrations.scrapy.sites import Site, Sites
from ..robot.pace import BACK_OFF, LONGEST_BACK_OFF
from .address import address
from .entry import Entry, Omission, Result, Want
from .job import Job

__all__ = ["DuplicateFilter", "PATIENCE", "Scheduler", "entry_of", "is_entry"]

#: Seconds that a crawl waits for an origin; where it must wait longer, its pages are left for the next run.
PATIENCE = 600.0

#: So many times in a row is an origin asked for a robots.txt that cannot be had.
_TIMES = 3

#: The key of `Request.meta` that has what the job knows of a request.
_ENTRY = "comity_entry"


def entry_of(request: Request) -> Entry:
    """Give what the job knows of a request that came from the scheduler."""
    entry = request.meta[_ENTRY]
    assert isinstance(entry, Entry)  # noqa: S101  # put there below
    return entry


def is_entry(request: Request) -> bool:
    """Say whether a request came from the scheduler, and not from a middleware."""
    return _ENTRY in request.meta


def job_of(crawler: Crawler) -> Job:
    """Give the job of a crawl, which its spider has as `job`."""
    job = getattr(crawler.spider, "job", None)
    if not isinstance(job, Job):
        raise TypeError("the spider has no `job`, a comity.crawl.job.Job")
    return job


class DuplicateFilter(BaseDupeFilter):
    """Knows each page that the job ever wanted."""

    def __init__(self, job: Job) -> None:
        """Take the job."""
        self._job = job

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "DuplicateFilter":
        """Make one for a crawl."""
        return cls(job_of(crawler))

    def request_seen(self, request: Request) -> bool:
        """Say whether a page was wanted before."""
        try:
            return self._job.knows(address(request.url)[1])
        except InvalidURL:
            return True  # nobody can be asked for it


class Scheduler(BaseScheduler):
    """Hands out what a job wants; the settings of the crawl have Comity's add-on."""

    def __init__(self, crawler: Crawler, job: Job) -> None:
        """Take the crawl and its job."""
        self._crawler = crawler
        self.job = job
        self._filter = DuplicateFilter(job)
        self._limit: int | None = getattr(crawler.spider, "limit", None)
        self._sites = Sites.of(crawler)
        self._order = count()
        #: the origins that have pages wanted and none under way, each with the time to look at it again
        self._due: list[tuple[float, int, str]] = []
        self._queued: set[str] = set()
        #: origins with a page under way
        self.under_way: dict[str, Entry] = {}
        #: origins that must wait for too long, with the time that they wait for, by `time.time`, and why
        self.left: dict[str, tuple[float, str]] = {}
        #: why origins wait, for those who watch
        self.waits: dict[str, tuple[float, str]] = {}
        self._failures: dict[str, int] = {}
        #: how many pages have each outcome, as `Job.outcomes` has it, and the octets of those that are stored
        self.outcomes: Counter[str] = Counter()
        self.octets = 0
        #: what keeps the job from being written, so that nothing more is asked for
        self.trouble: Exception | None = None
        #: why the crawl ended, in Scrapy's word
        self.reason = ""
        self._alarm: CallLaterResult | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Scheduler":
        """Make one for a crawl, whose spider has the `job`."""
        return cls(crawler, job_of(crawler))

    def open(self, spider: Spider) -> None:
        """Take up the job where it was left, and the distance to each origin with it."""
        now, wall = self._sites.monotonic(), time.time()
        self.outcomes.update(self.job.outcomes())
        self.octets = self.job.octets()
        for origin, ended, not_before in self.job.paces():
            site = self._site(origin)
            site.ended = max(site.ended, now - max(wall - ended, 0.0))
            if not_before is not None:
                site.not_before = max(site.not_before, now + not_before - wall)
        for origin in self.job.waiting():
            self._queue(origin)

    def close(self, reason: str) -> None:
        """Stop; what is under way is wanted when the job is opened again."""
        self.reason = reason
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def has_pending_requests(self) -> bool:
        """Say whether this run has anything more to ask for."""
        return self.trouble is None and bool(self._due) and not self._is_full(0)

    def enqueue_request(self, request: Request) -> bool:
        """Want a page; only GET requests are kept."""
        if request.method != "GET" or request.body:
            raise ValueError(f"a job keeps GET requests alone, not {request}")
        if self._filter.request_seen(request):
            return False
        origin, url = address(request.url)
        self._add([Want(url, origin, request.meta.get("depth", 0), "page", False, 0)])
        return True

    def next_request(self) -> Request | None:
        """Give a request whose origin is ready for it."""
        if self.trouble is not None:
            return None
        try:
            return self._next()
        except sqlite3.Error as failure:
            self.trouble = failure
            return None

    def _next(self) -> Request | None:
        now = self._sites.monotonic()
        while self._due and self._due[0][0] <= now and not self._is_full(len(self.under_way)):
            _, _, origin = heappop(self._due)
            self._queued.discard(origin)
            entry = self.job.peek(origin)
            if entry is None:
                continue
            ready = self._ready(entry)
            if ready > now:
                self._postpone(origin, ready, now)
                continue
            self.waits.pop(origin, None)
            self.job.begin(entry)
            self.under_way[origin] = entry
            return self._request(entry)
        if self._due:
            self._wake(max(self._due[0][0] - now, 0.01))
        return None

    # What became of requests ----------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        wants: Iterable[Want] = (),
        omissions: Iterable[Omission] = (),
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """Take what became of a page, and all that it led to, at once."""
        added = self.job.finish(
            entry,
            result,
            wants=wants,
            omissions=omissions,
            facts=facts,
            not_before=self._not_before(entry.origin),
        )
        self.outcomes.update({result.outcome: 1, "wanted": len(added) - 1})
        if result.outcome == "stored":
            self.octets += result.octets
        if result.status is not None and result.status < 500:
            self._failures.pop(entry.origin, None)
        self._end(entry)
        for want in added:
            self._queue(want.origin)

    def defer(self, entry: Entry, *, seconds: float = 0.0, why: str = "", force: bool = False) -> None:
        """Want a page still, after so many seconds; it was not tried."""
        if seconds:
            site = self._site(entry.origin)
            site.not_before = max(site.not_before, self._sites.monotonic() + seconds)
            self.waits[entry.origin] = (time.time() + seconds, why)
        self.job.defer(entry, not_before=self._not_before(entry.origin), count=False, force=force)
        self._end(entry)

    def back_off(self, entry: Entry, why: str) -> None:
        """Want a page still, and leave its origin alone for a while, longer with each failure."""
        failures = self._failures[entry.origin] = self._failures.get(entry.origin, 0) + 1
        site = self._site(entry.origin)
        if site.not_before <= self._sites.monotonic():  # or the server named the time itself
            site.not_before = self._sites.monotonic() + min(BACK_OFF * 2 ** (failures - 1), LONGEST_BACK_OFF)
        self.waits[entry.origin] = (self._not_before(entry.origin) or time.time(), why)
        self.job.defer(entry, not_before=self._not_before(entry.origin), count=True)
        self._end(entry)

    def unreachable(self, entry: Entry, until: float, why: str, *, hopeless: bool) -> None:
        """Want a page still whose robots.txt cannot be had; after some times in a row, in the next run.

        That is so at once where it is hopeless, since nobody is there.
        """
        failures = self._failures[entry.origin] = self._failures.get(entry.origin, 0) + 1
        if hopeless or failures >= _TIMES:
            self.left[entry.origin] = (until, why)
        self.defer(entry, seconds=max(until - time.time(), 0.0), why=why)

    def _end(self, entry: Entry) -> None:
        self.under_way.pop(entry.origin, None)
        self._queue(entry.origin)

    def add(self, wants: Iterable[Want]) -> None:
        """Want pages that no other page led to."""
        self._add(wants)

    def _add(self, wants: Iterable[Want]) -> None:
        added = self.job.add(wants)
        self.outcomes["wanted"] += len(added)
        for want in added:
            self._queue(want.origin)
        self._wake(0.0)

    # When -----------------------------------------------------------------------------------------

    def _queue(self, origin: str) -> None:
        if origin not in self._queued and origin not in self.under_way and origin not in self.left:
            self._queued.add(origin)
            heappush(self._due, (self._sites.monotonic(), next(self._order), origin))

    def _postpone(self, origin: str, ready: float, now: float) -> None:
        """Look at an origin again when it is ready, unless that is too late for this run."""
        until, why = time.time() + ready - now, self.waits.get(origin, (0.0, ""))[1]
        if ready - now > PATIENCE:
            self.left[origin] = (until, why or "it is to be left alone")
            self.waits.pop(origin, None)
        else:
            self.waits[origin] = (until, why)
            self._queued.add(origin)
            heappush(self._due, (ready, next(self._order), origin))

    def _ready(self, entry: Entry) -> float:
        self._site(entry.origin)
        pacer = self._sites.pacer
        # A page that is forced is bound by the pace of the others.
        return float("-inf") if pacer is None else pacer.ready(Request(entry.url))

    def _site(self, origin: str) -> Site:
        site = self._sites.site(f"{origin}/")
        assert site is not None  # noqa: S101  # a job has http and https alone
        return site

    def _not_before(self, origin: str) -> float | None:
        """Give the time before which an origin is left alone, by `time.time`, if it is."""
        wait = self._site(origin).not_before - self._sites.monotonic()
        return time.time() + wait if wait > 0 else None

    def _is_full(self, under_way: int) -> bool:
        return self._limit is not None and self.outcomes["stored"] + under_way >= self._limit

    def _wake(self, seconds: float) -> None:
        """Have the engine ask again after so many seconds; by itself it does every five."""
        slot = self._crawler.engine._slot
        if slot is None:
            return
        if self._alarm is not None:
            self._alarm.cancel()
        schedule: Callable[[], None] = slot.nextcall.schedule
        self._alarm = call_later(seconds, self._rings, schedule)

    def _rings(self, schedule: Callable[[], None]) -> None:
        self._alarm = None
        schedule()

    def _request(self, entry: Entry) -> Request:
        spider = self._crawler.spider
        return Request(
            entry.url,
            dont_filter=True,
            callback=getattr(spider, "parse", None),
            errback=getattr(spider, "failed", None),
            meta={
                _ENTRY: entry,
                "depth": entry.depth,
                "download_slot": entry.origin,
                "handle_httpstatus_all": True,
                **({"dont_obey_robotstxt": True} if entry.forced else {}),
            },
        )
