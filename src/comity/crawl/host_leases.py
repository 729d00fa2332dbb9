"""The downloader middleware that leases a host for requests outside the queue.

These are requests for a robots.txt or another site file that was redirected to another host. Requests for
pages, and for files of their own host, use the lease of the page.
"""

import asyncio
from weakref import WeakKeyDictionary

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from ..integrations.scrapy import MustWait
from ..integrations.scrapy.acquisition import ACQUIRED_FOR
from ..integrations.scrapy.sites import origin_of
from ..protocol import hostname
from ..stores import Wait
from .frontier import Scheduler, is_entry, scheduler_of

#: Maximum seconds to wait for a lease; its holder may itself wait for a lease that this worker holds.
_MAX_WAIT = 60.0


class LeaseMiddleware:
    """Makes a request wait for the lease of its host, among all workers of a job."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._leases: WeakKeyDictionary[Request, tuple[str, str]] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LeaseMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    @property
    def _scheduler(self) -> Scheduler:
        return scheduler_of(self._crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Acquire the lease that a request needs; raises `MustWait` if that takes too long."""
        origin = origin_of(request.url)
        if origin is None or is_entry(request):
            return
        acquired_for = request.meta.get(ACQUIRED_FOR)
        if acquired_for in self._scheduler.in_progress and hostname(acquired_for) == hostname(origin):
            return
        waited = 0.0
        while isinstance(holder := self._scheduler.acquire(origin), Wait):
            if waited + holder.seconds > _MAX_WAIT:
                raise MustWait(request.url, holder.seconds, holder.why.sentence, None)
            waited += holder.seconds
            await asyncio.sleep(holder.seconds)
        self._leases[request] = origin, holder

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Release the lease after a response."""
        self._release(request)
        return response

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:
        """Release the lease after a failure."""
        self._release(request)

    def _release(self, request: Request) -> None:
        lease = self._leases.pop(request, None)
        if lease is not None:
            self._scheduler.release(*lease)
