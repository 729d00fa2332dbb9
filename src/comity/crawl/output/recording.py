"""Record requests and responses in a WARC, as they are before a middleware decodes them."""

from collections.abc import Iterable, Iterator, Mapping
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


class Recording:
    """Records each exchange: that of a page with its result, all others at once."""

    def __init__(self, crawler: Crawler, job: Job, warc: Warc) -> None:
        self._crawler = crawler
        self._job = job
        self._warc = warc
        self._pages: WeakKeyDictionary[Request, Exchange] = WeakKeyDictionary()
        crawler.signals.connect(self._downloaded, signals.response_downloaded)

    def _downloaded(self, response: Response, request: Request) -> None:
        exchange = _exchange(request, response)
        if is_entry(request):
            self._pages[request] = exchange
        else:  # a robots.txt or another site file
            try:
                self._job.set_worker_metadata(warc=self._warc.write(exchange))
            except OSError as error:
                scheduler = self._crawler.engine.scheduler
                if isinstance(scheduler, Scheduler):
                    scheduler.error = error

    def write(self, entry: Entry, request: Request, outcome: str) -> Mapping[str, object]:
        """Write the exchange of a page, and return the worker metadata to record with its result."""
        exchange = self._pages.pop(request, None)
        if exchange is None:
            return {}
        return {"warc": self._warc.write(exchange, [*self._metadata(entry, request), ("outcome", outcome)])}

    def _metadata(self, entry: Entry, request: Request) -> Iterator[tuple[str, str]]:
        """Yield the depth of a page, and the verdict of robots.txt on it."""
        yield "depth", str(entry.depth)
        sites = Sites.of(self._crawler)
        site = sites.find(entry.url)
        if site is not None and site.access is not None:
            yield "robots", site.access.url
            yield "verdict", site.rules_for(sites.agent(request)).check(entry.url).explain()[:1000]
        if entry.forced:
            yield "forced", "fetched by --force-start although robots.txt disallows it"


def _exchange(request: Request, response: Response) -> Exchange:
    host = str(Origin.of(request.url)).partition("://")[2]
    return Exchange(
        url=request.url,
        method=request.method,
        request_fields=[("Host", host), *_public(_pairs(request.headers))],
        protocol=response.protocol or "HTTP/1.1",
        status=response.status,
        response_fields=list(_pairs(response.headers)),
        body=response.body,
        ip_address=None if response.ip_address is None else str(response.ip_address),
    )


def _public(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a request, apart from a password."""
    return ((name, value) for name, value in fields if name.lower() != "authorization")


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    for name, values in headers.items():
        for value in values:
            yield name.decode("latin-1"), value.decode("latin-1")
