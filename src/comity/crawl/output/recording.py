"""What a crawl sends and receives, as it is, for a WARC: taken before a middleware decodes it."""

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response

from ...integrations.scrapy.sites import Sites
from ...protocol.origin import Origin
from ..frontier import Scheduler, is_entry
from ..job.entry import Entry
from ..job.interface import Job
from .warc import Exchange, Warc

__all__ = ["Recording"]


class Recording:
    """Writes down each exchange: that of a page when its spider takes it, and any other at once."""

    def __init__(self, crawler: Crawler, job: Job, warc: Warc) -> None:
        """Take the crawl, its job and its file."""
        self._crawler = crawler
        self._job = job
        self._warc = warc
        self._pages: WeakKeyDictionary[Request, Exchange] = WeakKeyDictionary()
        crawler.signals.connect(self._downloaded, signals.response_downloaded)

    def _downloaded(self, response: Response, request: Request) -> None:
        exchange = _exchange(request, response)
        if is_entry(request):
            self._pages[request] = exchange
        else:  # a robots.txt, or what a site keeps beside it
            try:
                self._job.keep(warc=self._warc.write(exchange))
            except OSError as failure:
                scheduler = self._crawler.engine.scheduler
                if isinstance(scheduler, Scheduler):
                    scheduler.trouble = failure

    def take(self, entry: Entry, request: Request, outcome: str) -> Mapping[str, object]:
        """Write down the exchange of a page, and give what the job has to know with what became of it."""
        exchange = self._pages.pop(request, None)
        if exchange is None:
            return {}
        return {"warc": self._warc.write(exchange, [*self._said(entry, request), ("outcome", outcome)])}

    def _said(self, entry: Entry, request: Request) -> Iterator[tuple[str, str]]:
        """Say how a page was come by, and on whose word."""
        yield "depth", str(entry.depth)
        sites = Sites.of(self._crawler)
        site = sites.find(entry.url)
        if site is not None and site.access is not None:
            yield "robots", site.access.url
            yield "verdict", site.rules_for(sites.agent(request)).check(entry.url).explain()[:1000]
        if entry.forced:
            yield "forced", "the operator had it fetched though robots.txt forbids it"


def _exchange(request: Request, response: Response) -> Exchange:
    host = str(Origin.of(request.url)).partition("://")[2]
    return Exchange(
        url=request.url,
        method=request.method,
        asked=[("Host", host), *_pairs(request.headers)],
        protocol=response.protocol or "HTTP/1.1",
        status=response.status,
        answered=list(_pairs(response.headers)),
        body=response.body,
        address=None if response.ip_address is None else str(response.ip_address),
    )


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    for name, values in headers.items():
        for value in values:
            yield name.decode("latin-1"), value.decode("latin-1")
