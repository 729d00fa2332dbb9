"""The downloader middleware that takes the turn at an origin for what is no page of it.

That is a robots.txt, or another file of a site, that is redirected to another origin. The request for a page,
and those for the files of its own origin, go by the turn that the page has.
"""

import asyncio
from weakref import WeakKeyDictionary

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from ..integrations.scrapy import MustWait
from ..integrations.scrapy.acquisition import ACQUIRED_FOR
from ..integrations.scrapy.sites import origin_of
from ..politeness.pace import Wait
from .frontier import Scheduler, is_entry

__all__ = ["TurnMiddleware"]

#: Seconds after which a turn that others keep is given up: they may be waiting for one that is kept here.
_PATIENCE = 60.0


class TurnMiddleware:
    """Has a request wait for its turn among all who share the job."""

    def __init__(self, crawler: Crawler) -> None:
        """Take the crawl."""
        self._crawler = crawler
        self._turns: WeakKeyDictionary[Request, tuple[str, str]] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TurnMiddleware":
        """Make one for a crawl."""
        return cls(crawler)

    @property
    def _scheduler(self) -> Scheduler:
        scheduler = self._crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings of the crawl
        return scheduler

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Let a request go on that has its turn; raises `MustWait` where it does not come."""
        origin = origin_of(request.url)
        if origin is None or is_entry(request):
            return
        if origin == request.meta.get(ACQUIRED_FOR) and origin in self._scheduler.under_way:
            return
        waited = 0.0
        while isinstance(turn := self._scheduler.visit(origin), Wait):
            if waited + turn.seconds > _PATIENCE:
                raise MustWait(request.url, turn.seconds, turn.why.value)
            waited += turn.seconds
            await asyncio.sleep(turn.seconds)
        self._turns[request] = origin, turn

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Give a turn back that was used."""
        self._give_back(request)
        return response

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:
        """Give a turn back, whatever came of it."""
        self._give_back(request)

    def _give_back(self, request: Request) -> None:
        turn = self._turns.pop(request, None)
        if turn is not None:
            self._scheduler.visited(*turn)
