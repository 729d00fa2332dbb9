"""Scrapy's scheduler and duplicate filter over a job: `SCHEDULER` and `DUPEFILTER_CLASS`.

A request leaves here when its origin is ready for it, one at a time to an origin, so a slow site keeps no
other waiting. It counts as under way until the spider says what became of it, by `finish` or `defer`; a
process that is killed before leaves it wanted.
"""

import time
from collections.abc import Callable, Iterable, Mapping

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.asyncio import CallLaterResult, call_later

from ..errors import InvalidURL
from ..integrations.scrapy.site import Site
from ..integrations.scrapy.sites import Sites
from ..politeness.pace import BACK_OFF, LONGEST_BACK_OFF, Demand, Wait, demand
from .address import address
from .job.entry import Entry, Omission, Result, Want
from .job.interface import CUT_OFF, Job, JobUnusable
from .sitemap import LARGEST

__all__ = ["DuplicateFilter", "PATIENCE", "Scheduler", "entry_of", "is_entry"]

#: Seconds that a crawl waits for an origin; where it must wait longer, its pages are left for the next run.
PATIENCE = 600.0

#: So many times in a row is an origin asked for a robots.txt that cannot be had.
_TIMES = 3

#: Seconds after which the engine asks by itself, and the least after which it asks again.
_BEAT, _SOON = 5.0, 0.001

#: Seconds after which to see whether the job may go on that is full.
_AGAIN = 1.0

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
    job: Job | None = getattr(crawler.spider, "job", None)
    if job is None:
        raise TypeError("the spider has no `job`, a comity.crawl.job.interface.Job")
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
        #: origins with a page under way
        self.under_way: dict[str, Entry] = {}
        #: when each of those had been asked last before
        self._ended: dict[str, float] = {}
        #: until when origins wait, by `time.time`, and why, for those who watch
        self.waits: dict[str, tuple[float, str]] = {}
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
        for origin, ended, not_before in self.job.paces():
            site = self._site(origin)
            site.ended = max(site.ended, now + min(ended - wall, CUT_OFF))
            if not_before is not None:
                site.not_before = max(site.not_before, now + not_before - wall)

    def close(self, reason: str) -> None:
        """Stop; what is under way is wanted when the job is opened again."""
        self.reason = reason
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def has_pending_requests(self) -> bool:
        """Say whether this run has anything more to ask for."""
        if self.trouble is not None:
            return False
        try:
            return self.job.pending(self._limit)
        except JobUnusable as failure:
            self.trouble = failure
            return False

    def enqueue_request(self, request: Request) -> bool:
        """Want a page; only GET requests are kept."""
        if request.method != "GET" or request.body:
            raise ValueError(f"a job keeps GET requests alone, not {request}")
        if self._filter.request_seen(request):
            return False
        origin, url = address(request.url)
        self.add([Want(url, origin, request.meta.get("depth", 0), "page", False, 0)])
        return True

    def next_request(self) -> Request | None:
        """Give a request whose origin is ready for it."""
        if self.trouble is not None:
            return None
        try:
            return self._next()
        except Exception as failure:  # whatever it is, nobody else would be told
            self.trouble = failure
            return None

    def _next(self) -> Request | None:
        while not self.job.is_full(self._limit):
            origin, seconds = self.job.due()
            if origin is None:
                self._wake(seconds)
                break
            site = self._site(origin)
            wait = self._wait(site)
            if wait <= 0:
                lent_until = self._sites.monotonic() + self.job.lease
                entry = self.job.begin(origin, self._demand(site), self._limit)
                if isinstance(entry, Entry):
                    self.waits.pop(origin, None)
                    self.under_way[origin] = entry
                    self._ended[origin] = site.ended
                    site.leased_until = lent_until
                    return self._request(entry)
                if entry is None:
                    continue
                wait = entry.seconds
                self._say_why(origin, entry)
            self._postpone(origin, wait)
        else:
            self._wake(_AGAIN)  # what others have under way may come to nothing
        return None

    # What became of requests ----------------------------------------------------------------------

    def finish(
        self,
        entry: Entry,
        result: Result,
        *,
        wants: Iterable[Want] = (),
        omissions: Iterable[Omission] = (),
        hosts: Iterable[str] = (),
        mine: Mapping[str, object] | None = None,
    ) -> bool:
        """Take what became of a page, and all that it led to, at once; see `Job.finish`."""
        taken = self.job.finish(
            entry,
            result,
            wants=wants,
            omissions=omissions,
            hosts=hosts,
            mine=mine,
            pause=self._pause(entry.origin),
            sent=self._sent(entry.origin),
        )
        self._end(entry)
        return taken

    def defer(self, entry: Entry, *, seconds: float = 0.0, why: str = "", force: bool = False) -> None:
        """Want a page still, after so many seconds; it was not tried."""
        if seconds > 0:
            self._leave_alone(entry.origin, seconds, why)
        self._defer(entry, force=force)

    def back_off(self, entry: Entry, why: str) -> None:
        """Want a page still, and leave its origin alone for a while, longer with each failure."""
        failures = self.job.failed(entry.origin)
        pause = self._pause(entry.origin)  # if the server named the time itself
        seconds = pause if pause > 0 else min(BACK_OFF * 2 ** (failures - 1), LONGEST_BACK_OFF)
        self._leave_alone(entry.origin, seconds, why)
        self._defer(entry, count=True)

    def unreachable(self, entry: Entry, until: float, why: str, *, hopeless: bool) -> None:
        """Want a page still whose robots.txt cannot be had; after some times in a row, in the next run.

        That is so at once where it is hopeless, since nobody is there.
        """
        failures, seconds = self.job.failed(entry.origin), until - time.time()
        if seconds > 0:
            self._leave_alone(entry.origin, seconds, why)
        self._defer(entry, leave=(until, why) if hopeless or failures >= _TIMES else None)

    def leave(self, entry: Entry, until: float, why: str) -> None:
        """Want a page still, and leave its origin for the next run; `until` is when that may be of use."""
        self._defer(entry, leave=(until, why))

    def _defer(
        self,
        entry: Entry,
        *,
        count: bool = False,
        force: bool = False,
        leave: tuple[float, str] | None = None,
    ) -> None:
        pause, sent = self._pause(entry.origin), self._sent(entry.origin)
        self.job.defer(entry, count=count, force=force, pause=pause, sent=sent, leave=leave)
        self._end(entry)

    def _sent(self, origin: str) -> bool:
        """Say whether anything was sent to an origin since its page was begun."""
        site = self._site(origin)
        return bool(site.in_flight) or site.ended != self._ended.get(origin)

    def renew(self) -> None:
        """Say that what is under way is so still; see `Job.renew`."""
        if self.trouble is not None:
            return
        lent_until = self._sites.monotonic() + self.job.lease
        try:
            held = self.job.renew()
        except JobUnusable as failure:
            self.trouble = failure
            return
        for origin in self.under_way:
            self._site(origin).leased_until = lent_until if origin in held else float("-inf")

    def _end(self, entry: Entry) -> None:
        self.under_way.pop(entry.origin, None)
        self._ended.pop(entry.origin, None)
        self._site(entry.origin).leased_until = float("inf")
        self._wake(0.0)

    def add(self, wants: Iterable[Want]) -> None:
        """Want pages that no other page led to."""
        self.job.add(wants)
        self._wake(0.0)

    def visit(self, origin: str) -> str | Wait:
        """Ask for the turn at an origin for one request that is for no page; see `Job.visit`."""
        try:
            return self.job.visit(origin, self._demand(self._site(origin)))
        except JobUnusable as failure:
            self.trouble = failure
            raise

    def visited(self, origin: str, turn: str) -> None:
        """Give such a turn back."""
        try:
            self.job.visited(origin, turn, self._pause(origin))
        except JobUnusable as failure:
            self.trouble = failure

    # When -----------------------------------------------------------------------------------------

    def _postpone(self, origin: str, seconds: float) -> None:
        """Look at an origin again when it is ready, unless that is too late for this run."""
        until, why = time.time() + seconds, self.waits.get(origin, (0.0, ""))[1]
        if seconds > PATIENCE:
            self.job.leave(origin, until, why or "it is to be left alone")
            self.waits.pop(origin, None)
        else:
            self.waits[origin] = until, why
            self.job.postpone(origin, seconds)

    def _say_why(self, origin: str, wait: Wait) -> None:
        if origin not in self.waits:
            self.waits[origin] = 0.0, wait.why.value

    def _leave_alone(self, origin: str, seconds: float, why: str) -> None:
        site, now = self._site(origin), self._sites.monotonic()
        site.not_before = max(site.not_before, now + seconds)
        self.waits[origin] = time.time() + seconds, why

    def _wait(self, site: Site) -> float:
        """Give the seconds until an origin is ready, as far as is known here."""
        pacer = self._sites.pacer
        # A page that is forced is bound by the pace of the others.
        ready = float("-inf") if pacer is None else pacer.ready(Request(f"{site.origin}/"))
        return ready - self._sites.monotonic()

    def _demand(self, site: Site) -> Demand:
        options, now = self._sites.options, self._sites.clock()
        if site.access is None:
            return demand(None, floor=options.delay, cap=options.crawl_delay_cap, now=now)
        return site.rules_for(self._sites.agent(Request(f"{site.origin}/"))).demand(options, now)

    def _site(self, origin: str) -> Site:
        site = self._sites.site(f"{origin}/")
        assert site is not None  # noqa: S101  # a job has http and https alone
        if site.access is None:
            self._sites.use_stored(site)
        return site

    def _pause(self, origin: str) -> float:
        """Give the seconds for which an origin is to be left alone."""
        return max(self._site(origin).not_before - self._sites.monotonic(), 0.0)

    def _wake(self, seconds: float) -> None:
        """Have the engine ask again after so many seconds; by itself it does every five."""
        slot = self._crawler.engine._slot
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if slot is not None and seconds < _BEAT:
            schedule: Callable[[], None] = slot.nextcall.schedule
            self._alarm = call_later(max(seconds, _SOON), self._rings, schedule)

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
                **({"download_maxsize": LARGEST} if entry.kind == "sitemap" else {}),
                **({"dont_obey_robotstxt": True} if entry.forced else {}),
            },
        )
