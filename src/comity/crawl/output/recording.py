"""Record requests and responses in WARC files, as they are before a middleware decodes them."""

from collections.abc import Iterator, Mapping

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from ...integrations.scrapy.sites import Sites
from ..frontier import is_entry, scheduler_of
from ..job.entry import Entry, Result
from ..job.interface import Job
from .reception import Reception
from .warc import Position, Warc


class Recording:
    """Records each exchange: that of a page with its result, all others at once."""

    def __init__(self, crawler: Crawler, job: Job, warc: Warc) -> None:
        self._crawler = crawler
        self._job = job
        self._warc = warc
        connect = crawler.signals.connect
        connect(self._bytes_received, signals.bytes_received)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._ended, signals.request_left_downloader)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        reception = Reception.of(request)
        if reception is not None:
            reception.parts.append(data)

    def _downloaded(self, response: Response, request: Request) -> None:
        reception = Reception.of(request)
        if reception is not None:
            reception.complete, reception.parts = True, [response.body]  # the same bytes, held once

    def _ended(self, request: Request) -> None:
        """Record the exchange of a robots.txt or another site file."""
        if is_entry(request):
            return
        reception = Reception.of(request)
        exchange = None if reception is None else reception.exchange(request)
        if exchange is not None:
            try:
                self._job.set_worker_metadata(**self._warc.write(exchange).metadata())
            except OSError as error:
                scheduler_of(self._crawler).error = error

    @property
    def position(self) -> Position:
        """The end of the last record, for `undo`."""
        return self._warc.position

    def undo(self, position: Position) -> None:
        """Remove the exchange of a page whose result was not recorded."""
        self._warc.undo(position)

    def write(self, entry: Entry, request: Request, result: Result) -> Mapping[str, object]:
        """Write the exchange of a page, and return the worker metadata to record with its result."""
        reception = Reception.of(request)
        exchange = None if reception is None else reception.exchange(request)
        if exchange is None:
            return {}
        metadata = [*self._metadata(entry, request), ("outcome", result.outcome)]
        return self._warc.write(exchange, metadata, result.title).metadata()

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
