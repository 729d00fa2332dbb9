"""The downloader middleware that leaves out what sites keep from the uses that `COMITY_RESPECT` names."""

from collections import OrderedDict

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from ...politeness.page import SiteFiles
from ...protocol.robotstxt.verdict import printable
from ...protocol.usage.ai_txt import CATEGORY as TRAINING
from ...protocol.usage.ai_txt import ai_txt
from ...protocol.usage.answer import Usage
from ...protocol.usage.tdmrep import CATEGORIES as MINING
from ...protocol.usage.tdmrep import tdmrep
from .asking import ASKED_FOR, is_asking
from .decisions import KEPT_FROM_USE, write_down, write_page_down
from .flights import Flights
from .reading import Reader
from .refusals import Disallowed, MustWait, Unreachable, UsageDisallowed
from .sites import Sites, origin_of

__all__ = ["UsageMiddleware"]

#: The key of `Request.meta` of what is read as the site's own word, whatever it may be used for: a list that
#: has the number of octets that have come.
_ANY_USE = "comity_any_use"

#: The uses that the files of a site speak of.
_OF_FILES = frozenset((TRAINING, *MINING))

#: The files of so many origins are kept ready, for so many seconds; where one could not be had, for fewer.
_READY, _LIFETIME, _RETRY = 4096, 86_400.0, 600.0

#: So much of a site's file is read, in octets, and for so many seconds; decoded it may have so many.
_LIMIT, _TIMEOUT, _LARGEST = 512 * 1024, 30.0, 16 << 20

#: So many redirects are followed, from the statuses that are any.
_HOPS, _REDIRECTS = 20, (301, 302, 303, 307, 308)

_NO_FILES = SiteFiles(None, None, None)


class UsageMiddleware:
    """Raises `UsageDisallowed` before a page is fetched that its site keeps from a use, or after.

    What serves training or mining has each origin asked for `tdmrep.json` and `ai.txt` too, once a day. Where
    one of them cannot be had, what it would have said is not known, and nothing is fetched for ten minutes.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Take the crawl; raises `NotConfigured` unless there is anything to respect."""
        self._sites = Sites.of(crawler)
        self._requirement = self._sites.options.respect
        if not self._requirement.categories or not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._reader: Reader = self._sites.reader
        self._needs_files = not _OF_FILES.isdisjoint(self._requirement.categories)
        self._files: OrderedDict[str, tuple[float, SiteFiles]] = OrderedDict()
        self._flights: Flights[SiteFiles] = Flights()
        self._asking = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "UsageMiddleware":
        """Make one for a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Let a request go on whose content may be used, as far as is known by now."""
        if self._is_free(request):
            return
        url = request.url
        self._require(url, request, None)
        if not self._needs_files:
            return
        files = await self._files_of(url)
        # Of the two, what tdmrep.json says can be taken back by the page.
        said = self._reader.whole(url, request, files.ai_txt)
        category = self._requirement.broken(said)
        if files.failure is not None:
            category = next(each for each in self._requirement.categories if each in _OF_FILES)
            why = f"whether {category} is disallowed is not known: {files.failure}"
        elif category is not None:
            why = said.explain(category)
        else:
            return
        write_page_down(self._sites, request, said, reason=KEPT_FROM_USE, made=False, error=why)
        self._refuse(url, category, said, why)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Hand out a response whose content may be used; one that is no success has none."""
        if not self._is_free(request) and 200 <= response.status < 300:
            self._require(response.url, request, response)
            files = await self._files_of(response.url) if self._needs_files else None
            page = await self._reader.read(response, request, files)
            unmet = self._requirement.unmet(page)
            if unmet is not None:
                category, why = unmet
                said, status = page.usage, response.status
                write_page_down(
                    self._sites, request, said, reason=KEPT_FROM_USE, status=status, error=why, page=page
                )
                self._refuse(response.url, category, said, why)
        return response

    def _is_free(self, request: Request) -> bool:
        """Say whether a request is not for content that is used."""
        return is_asking(request) or _ANY_USE in request.meta or bool(request.meta.get("dont_obey_robotstxt"))

    def _require(self, url: str, request: Request, response: Response | None) -> None:
        """Raise if robots.txt, or the header of a response, keeps a URL from a use, whoever else speaks."""
        said = self._reader.said(url, request, response)
        category = None if said is None else self._requirement.broken(said)
        if said is not None and category is not None:
            made, status = response is not None, None if response is None else response.status
            write_down(self._sites, request, made=made, reason=KEPT_FROM_USE, status=status, usage=said)
            self._refuse(url, category, said, said.explain(category))

    def _refuse(self, url: str, category: str, said: Usage, why: str) -> None:
        self._crawler.stats.inc_value("comity/usage_disallowed")
        self._crawler.stats.inc_value(f"comity/usage_disallowed/{category}")
        raise UsageDisallowed(url, category, said, why)

    async def _files_of(self, url: str) -> SiteFiles:
        """Give what a site keeps beside its robots.txt."""
        origin = origin_of(url)
        if origin is None or not origin.startswith(("http:", "https:")):
            return _NO_FILES
        known = self._files.get(origin)
        if known is not None and self._sites.clock() < known[0]:
            return known[1]
        return await self._flights.once(origin, lambda: self._ask(origin))

    async def _ask(self, origin: str) -> SiteFiles:
        """Ask an origin for its files, unless one cannot be had: then not for the next."""
        if not self._asking:  # the signal comes for every chunk of every page, so only while it matters
            self._crawler.signals.connect(self._bytes_received, signals.bytes_received)
        self._asking += 1
        try:
            files, lifetime = await self._had(origin), _LIFETIME
        finally:
            self._asking -= 1
            if not self._asking:
                self._crawler.signals.disconnect(self._bytes_received, signals.bytes_received)
        if files.failure is not None:
            lifetime = _RETRY
        self._files[origin] = self._sites.clock() + lifetime, files
        self._files.move_to_end(origin)
        while len(self._files) > _READY:
            self._files.popitem(last=False)
        return files

    async def _had(self, origin: str) -> SiteFiles:
        bodies: list[bytes | None] = []
        for path in ("/.well-known/tdmrep.json", "/ai.txt"):
            try:
                bodies.append(await self._file(origin, path))
            except MustWait:
                raise
            except Exception as failure:  # what it would have said is not known, and may be known later
                said = str(failure) or type(failure).__name__
                return SiteFiles(None, None, printable(f"{origin}{path} cannot be had: {said}"))
        mining, training = bodies
        return SiteFiles(
            None if mining is None else tdmrep(mining), None if training is None else ai_txt(training), None
        )

    async def _file(self, origin: str, path: str) -> bytes | None:
        """Give a file of a site, `None` if it has none or keeps it from robots.

        Raises whatever error Scrapy has for what cannot be had now, or `OSError` for a server that fails.
        """
        url = f"{origin}{path}"
        for _ in range(_HOPS + 1):
            try:
                response = await self._crawler.engine.download_async(_wanted(url, origin))
            except Unreachable:
                raise
            except Disallowed:
                return None
            location = response.headers.get(b"Location")
            if response.status not in _REDIRECTS or location is None:
                break
            try:
                url = response.urljoin(location.decode("latin-1"))
            except ValueError:
                return None
            if not (origin_of(url) or "").startswith(("http:", "https:")):
                return None  # it is redirected to nowhere, so there is none
        else:
            return None
        if response.status == 429 or response.status >= 500:
            raise OSError(f"its server answers {response.status}")
        media = (response.headers.get(b"Content-Type") or b"").partition(b";")[0].strip().lower()
        # A server that answers every address with a page of its own has no such file.
        return None if not 200 <= response.status < 300 or media == b"text/html" else response.body

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a download that has brought enough."""
        taken = request.meta.get(_ANY_USE)
        if taken is not None:
            taken[0] += len(data)
            if taken[0] > _LIMIT:
                raise StopDownload(fail=False)


def _wanted(url: str, origin: str) -> Request:
    """Give the request for a file: each hop is judged, and what fails is asked for later, and not at once."""
    meta = {
        _ANY_USE: [0],
        ASKED_FOR: origin,
        "allow_offsite": True,
        "dont_cache": True,
        "dont_redirect": True,
        "dont_retry": True,
        "download_fail_on_dataloss": True,
        "download_maxsize": _LARGEST,
        "download_timeout": _TIMEOUT,
        "download_warnsize": 0,
        "handle_httpstatus_all": True,
    }
    return Request(url, priority=1000, callback=NO_CALLBACK, meta=meta)
