"""What is known of each origin that a crawl meets: its rules, and when it may be asked next.

An origin is asked for its robots.txt once, by whoever needs it first; all others wait for that one. Who stops
waiting stops nobody else.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import run_in_thread

from ...errors import InvalidURL, StoreUnavailable
from ...politeness import pace
from ...politeness.records import evidence
from ...politeness.stores import MemoryStore
from ...protocol.access.fetch import exempt
from ...protocol.access.outcome import Access, Outcome
from ...protocol.origin import Origin
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import names_of
from ...protocol.robotstxt.verdict import Verdict
from .asking import Asker
from .flights import Flights
from .options import Options
from .parser import RobotParser
from .reading import Reader

if TYPE_CHECKING:
    from .pacing import Pacer

__all__ = ["Site", "Sites", "View", "origin_of"]

#: So many origins are kept ready, of files of so many octets in all; more are kept by the store.
_READY, _READY_OCTETS = 4096, 16 << 20

#: So many of them are looked at for one that comes.
_LOOKS = 8

#: So many robots' rules of one origin.
_AGENTS = 16

_logger = logging.getLogger(__name__)

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


@lru_cache(_READY)
def _origin(url: str) -> str | None:
    """Give the origin of a URL as text, `None` if it has none; most URLs are of one of late."""
    try:
        return str(Origin.of(url))
    except InvalidURL:
        return None


def origin_of(url: str) -> str | None:
    """Give the origin of a URL as text, `None` if it has none."""
    end = url.find("/", url.find("://") + 3)
    return _origin(url if end < 0 else url[:end])


class View:
    """What the robots.txt of an origin says to one robot."""

    __slots__ = ("_demand", "_site", "agent", "names", "rules", "speaks")

    def __init__(self, site: "Site", access: Access, agent: str) -> None:
        """Read the rules of a robot."""
        self.agent = agent
        self.names = names_of(agent)
        self.rules: Rules | None = None
        if access.outcome is Outcome.RULES and site.parser is not None:
            self.rules = site.parser.rules_for(agent)
        #: does it say anything of usage?
        self.speaks = self.rules is not None and bool(self.rules.content_usage or self.rules.content_signals)
        self._site = site
        self._demand: pace.Demand | None = None  # where it is the same at all times

    def check(self, url: str) -> Verdict:
        """Say whether the robot may fetch a URL, and why."""
        if self.rules is not None:
            return self.rules.check(url)
        assert self._site.access is not None  # noqa: S101  # or there would be no view
        return self._site.access.check(url, agent=self.agent)

    def demand(self, options: Options, now: float) -> pace.Demand:
        """Say what the next request must respect."""
        if self._demand is not None:
            return self._demand
        wanted = pace.demand(self.rules, floor=options.delay, cap=options.crawl_delay_cap, now=now)
        for note in wanted.notes:
            self._site.warn(note)
        if self.rules is None or not (self.rules.request_rates or self.rules.visit_times):
            self._demand = wanted
        return wanted


class Site:
    """One origin: what came of asking for its robots.txt, and what has been sent to it."""

    __slots__ = (
        "_evidence",
        "_requests",
        "_warned",
        "access",
        "ended",
        "lent_until",
        "not_before",
        "origin",
        "parser",
        "refusals",
        "refused",
        "under_way",
        "views",
        "why",
    )

    def __init__(self, origin: str) -> None:
        """Begin with nothing known."""
        self.origin = origin
        self.access: Access | None = None
        self.parser: RobotParser | None = None
        self.views: dict[str, View] = {}
        #: how many requests have been sent and not answered
        self.under_way = 0
        #: when the last request ended, and before when the server wants to be left alone: `time.monotonic`
        self.ended = self.not_before = float("-inf")
        #: until when it is this crawl's to ask, where others share it: `time.monotonic`
        self.lent_until = float("inf")
        #: why it wants to be, how often in a row it refused or was silent, and when that was last counted
        self.why, self.refusals, self.refused = pace.Why.RETRY_AFTER, 0, float("-inf")
        self._warned: set[str] = set()
        self._evidence: dict[str, object] | None = None
        self._requests: WeakSet[Request] | None = None

    def take(self, access: Access) -> None:
        """Hold by what came of asking, from now on."""
        self.parser = RobotParser(access.robots, access)
        self.views = {}
        self._evidence = None
        self.access = access

    def expect(self, request: Request) -> None:
        """Take that a request was let through, and is on its way."""
        if self._requests is None:
            self._requests = WeakSet()
        self._requests.add(request)

    @property
    def is_expecting(self) -> bool:
        """Whether a request that was let through is still there."""
        return bool(self.under_way or self._requests)

    def shed(self, ready: float) -> None:
        """Keep no more than that nothing may be sent before `ready`."""
        self.not_before = max(self.not_before, ready)
        self.access = self.parser = self._evidence = self._requests = None
        self.views = {}

    def view(self, agent: str) -> View:
        """Give what a robot goes by, once the origin was asked."""
        view = self.views.get(agent)
        if view is None:
            assert self.access is not None  # noqa: S101  # learnt
            if len(self.views) >= _AGENTS:
                self.views.clear()
            view = self.views[agent] = View(self, self.access, agent)
        return view

    @property
    def evidence(self) -> dict[str, object] | None:
        """Which robots.txt decides, for the log; `None` while there is none."""
        if self._evidence is None and self.access is not None:
            self._evidence = evidence(self.access)
        return self._evidence

    def warn(self, note: str) -> None:
        """Tell the operator something, once."""
        if note not in self._warned:
            self._warned.add(note)
            _logger.warning("%s: %s", self.origin, note)

    @property
    def octets(self) -> int:
        """The octets of the robots.txt."""
        return 0 if self.access is None else len(self.access.body)


#: What each crawl knows, for all its middlewares.
_OF: "WeakKeyDictionary[Crawler, Sites]" = WeakKeyDictionary()


class Sites:
    """The origins of one crawl; those that were met the longest time ago may be forgotten."""

    def __init__(self, crawler: Crawler, options: Options) -> None:
        """Take the crawl, and what its project set."""
        self.options = options
        self.clock: Callable[[], float] = time.time
        self.monotonic: Callable[[], float] = time.monotonic
        #: what says when each may be asked, once the middleware that obeys is there
        self.pacer: Pacer | None = None
        self._crawler = crawler
        self._robot: str | None = crawler.settings["ROBOTSTXT_USER_AGENT"]
        self._otherwise: str = crawler.settings["USER_AGENT"] or ""
        #: where decisions are written down, if anywhere; raises `OSError` if they cannot be
        self.log = options.open_log()
        self._store = options.open_store()
        self._misses_store = False
        self.reader = Reader(self)
        self._asker = Asker(crawler, options.policy, lambda: self.clock(), self._load, self._save)
        self._sites: OrderedDict[str, Site] = OrderedDict()
        self._octets = 0
        #: those of which no more is known than when they may be asked next
        self._bound: OrderedDict[str, Site] = OrderedDict()
        self._asked: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._waited: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._agents: WeakKeyDictionary[Request, str] = WeakKeyDictionary()
        self._flights: Flights[None] = Flights()
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        crawler.signals.connect(self._engine_stopped, signals.engine_stopped)

    @classmethod
    def of(cls, crawler: Crawler) -> "Sites":
        """Give the origins of a crawl."""
        sites = _OF.get(crawler)
        if sites is None:
            sites = _OF[crawler] = cls(crawler, Options.of(crawler.settings))
        return sites

    def judge(self, request: Request) -> str:
        """Say by which name a request is judged, as stock Scrapy does, and hold by it.

        Other middlewares may give the request another header later.
        """
        if self.log is not None:
            self._asked[request] = self.monotonic()
        name = self._agents[request] = self._name(request)
        return name

    def sent(self, request: Request) -> None:
        """Take that a request leaves its slot."""
        if self.log is not None and request in self._asked:
            self._waited[request] = self.monotonic() - self._asked[request]

    def waited(self, request: Request) -> float | None:
        """Give the seconds that a request has waited, until it was sent; `None` if it was not judged."""
        waited, asked = self._waited.get(request), self._asked.get(request)
        return self.monotonic() - asked if waited is None and asked is not None else waited

    def agent(self, request: Request) -> str:
        """Say by which name a request was judged, or would be."""
        return self._robot or self._agents.get(request) or self._name(request)

    def _name(self, request: Request) -> str:
        if self._robot:
            return self._robot
        header = request.headers.get(b"User-Agent")
        return self._otherwise if header is None else header.decode("latin-1")

    def find(self, url: str) -> Site | None:
        """Give what is known of the origin of a URL, if anything is."""
        origin = origin_of(url)
        return None if origin is None else self._sites.get(origin) or self._bound.get(origin)

    def site(self, url: str) -> Site | None:
        """Give the origin of a URL, `None` if no robots.txt speaks of URLs of its scheme.

        Raises `InvalidURL` for a URL whose origin cannot be told.
        """
        origin = origin_of(url)
        site = None if origin is None else self._sites.get(origin)
        if site is not None and origin is not None:
            self._sites.move_to_end(origin)
            return site
        if exempt(url, self.options.policy) is not None:
            return None
        origin = str(Origin.of(url))
        site = self._bound.pop(origin) if origin in self._bound else Site(origin)
        self._sites[origin] = site
        self._make_room(site)
        return site

    def is_fresh(self, site: Site) -> bool:
        """Say whether what is known of an origin may be used now."""
        return site.access is not None and site.access.fresh(self.clock())

    async def learn(self, site: Site, request: Request) -> None:
        """Have what holds for an origin now, from the store or from the origin; `request` is why."""
        await self._flights.once(site.origin, lambda: self._learn(site, request))

    async def _learn(self, site: Site, request: Request) -> None:
        known, is_kept = await self._load(site.origin), True
        if known is None or not known.fresh(self.clock()):
            known, is_kept = await self._asker.ask(site.origin, known), False
        self._take(site, known)
        if not is_kept:  # last: a store that fails has nobody asked again
            await self._save(known)
        if known.status is not None or known.outcome is Outcome.RULES:
            await self._crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=site.parser, request=request
            )

    def recall(self, site: Site) -> None:
        """Hold by what the store keeps of an origin, fresh or not, until it is asked."""
        try:
            access = self._store.load(site.origin)
        except StoreUnavailable:  # which is said when it is asked
            return
        if access is not None and access.policy == self.options.policy.name:
            self._take(site, access)

    def _take(self, site: Site, access: Access) -> None:
        before = site.octets
        site.take(access)
        self._octets += site.octets - before
        self._make_room(site)

    async def _load(self, origin: str) -> Access | None:
        """Give what is kept of an origin, by whoever shares the store."""
        try:
            access = await self._stored(self._store.load, origin)
        except StoreUnavailable as error:  # which costs a request, and nobody's rules
            self._miss_store(error)
            access = None
        if access is None and origin in self._sites:
            access = self._sites[origin].access
        return access if access is not None and access.policy == self.options.policy.name else None

    async def _save(self, access: Access) -> None:
        try:
            await self._stored(self._store.save, access)
        except StoreUnavailable as error:
            self._miss_store(error)

    def _miss_store(self, error: StoreUnavailable) -> None:
        """Do without the store, and tell the operator of it, once: it is asked for each origin."""
        self._crawler.stats.inc_value("comity/store_unavailable")
        if not self._misses_store:
            self._misses_store = True
            _logger.warning(
                "COMITY_STORE is not to be had, so sites are asked for what it knows, and it learns nothing "
                "(this is said once; comity/store_unavailable counts): %s",
                error,
            )

    async def _stored(self, method: Callable[[_Given], _Found], what: _Given) -> _Found:
        """Ask the store, in a thread unless it is in memory: who waits for a disk waits alone."""
        if isinstance(self._store, MemoryStore):
            return method(what)
        return await run_in_thread(method, what)

    async def _spider_closed(self) -> None:
        """Close the store, unless it was handed in."""
        if self._store is not self.options.store:
            await self._stored(lambda store: store.close(), self._store)

    def _engine_stopped(self) -> None:
        _OF.pop(self._crawler, None)  # which holds the crawl that is its key
        if self.log is not None:
            self.log.close()

    def _make_room(self, kept: Site) -> None:
        """Forget some that were met the longest time ago, the rules before the time of the next request.

        A few at a time are looked at, and those that stay go to the end, so that many cost no more than few.
        """
        now, wall = self.monotonic(), self.clock()
        for _ in range(_LOOKS):
            if len(self._sites) <= _READY and self._octets <= _READY_OCTETS:
                break
            site = next(iter(self._sites.values()))
            if site is kept or site.is_expecting or site.origin in self._flights:
                self._sites.move_to_end(site.origin)
                continue
            gap = max(
                (view.demand(self.options, wall).gap for view in site.views.values()),
                default=self.options.delay,
            )
            del self._sites[site.origin]
            self._octets -= site.octets
            site.shed(site.ended + gap)
            self._bound[site.origin] = site
        for site in [*islice(self._bound.values(), _LOOKS)]:
            if site.not_before > now or site.under_way:
                self._bound.move_to_end(site.origin)
            else:
                del self._bound[site.origin]
