"""The downloader middleware that enforces preferences about the uses in `COMITY_RESPECT`."""

from collections import OrderedDict

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from ...politeness.site_files import SiteFiles
from ...protocol.text import printable
from ...protocol.usage.ai_txt import CATEGORY as TRAINING
from ...protocol.usage.ai_txt import ai_txt
from ...protocol.usage.answer import Usage
from ...protocol.usage.tdmrep import CATEGORIES as MINING
from ...protocol.usage.tdmrep import tdmrep
from .acquisition import ACQUIRED_FOR, SingleFlight, is_for_robots_txt
from .decisions import KEPT_FROM_USE, write_down, write_page_down
from .reading import Reader
from .refusals import Disallowed, MustWait, Unreachable, UsageDisallowed
from .sites import Sites, origin_of

__all__ = ["UsageMiddleware"]

#: Key of `Request.meta` that marks a request for a site file: a list with the number of bytes received.
_SITE_FILE = "comity_site_file"

#: The uses about which site files can state preferences.
_USES_OF_FILES = frozenset((TRAINING, *MINING))

#: Maximum number of origins whose files are cached; lifetime in seconds; retry delay after a failure.
_MAX_ORIGINS, _LIFETIME, _RETRY = 4096, 86_400.0, 600.0

#: Maximum size of a site file in bytes as sent, timeout in seconds, and maximum size when decoded.
_LIMIT, _TIMEOUT, _MAX_DECODED = 512 * 1024, 30.0, 16 << 20

#: Maximum number of redirects of a site file, and the statuses that redirect.
_MAX_REDIRECTS, _REDIRECTS = 20, (301, 302, 303, 307, 308)

_NO_FILES = SiteFiles(None, None, None)


class UsageMiddleware:
    """Raises `UsageDisallowed` if a site reserves a page from a use, before or after the page is fetched.

    For uses related to training or mining, it also fetches `tdmrep.json` and `ai.txt` of each origin, once a
    day. If one of them is unavailable, its preferences are unknown, and nothing is fetched for ten minutes.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Create the middleware of a crawl. Raise `NotConfigured` if there is no use to respect."""
        self._sites = Sites.of(crawler)
        self._requirement = self._sites.options.respect
        if not self._requirement.categories or not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._reader: Reader = self._sites.reader
        self._needs_files = not _USES_OF_FILES.isdisjoint(self._requirement.categories)
        self._files: OrderedDict[str, tuple[float, SiteFiles]] = OrderedDict()
        self._flights: SingleFlight[SiteFiles] = SingleFlight()
        self._fetching = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "UsageMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise if the preferences that are known before the request disallow a use."""
        if self._is_free(request):
            return
        url = request.url
        self._require(url, request, None)
        if not self._needs_files:
            return
        files = await self._files_of(url)
        # Only ai.txt counts before the request: the page can override tdmrep.json.
        usage = self._reader.whole(url, request, files.ai_txt)
        category = self._requirement.broken(usage)
        if files.failure is not None:
            category = next(each for each in self._requirement.categories if each in _USES_OF_FILES)
            why = f"whether {category} is disallowed is not known: {files.failure}"
        elif category is not None:
            why = usage.explain(category)
        else:
            return
        write_page_down(self._sites, request, usage, reason=KEPT_FROM_USE, made=False, error=why)
        self._refuse(url, category, usage, why)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Return the response, or raise if it disallows a use. Only successful responses have content."""
        if not self._is_free(request) and 200 <= response.status < 300:
            self._require(response.url, request, response)
            files = await self._files_of(response.url) if self._needs_files else None
            page = await self._reader.read(response, request, files)
            unmet = self._requirement.unmet(page)
            if unmet is not None:
                category, why = unmet
                usage, status = page.usage, response.status
                write_page_down(
                    self._sites, request, usage, reason=KEPT_FROM_USE, status=status, error=why, page=page
                )
                self._refuse(response.url, category, usage, why)
        return response

    def _is_free(self, request: Request) -> bool:
        """Return whether a request is not for content to be used."""
        return (
            is_for_robots_txt(request)
            or _SITE_FILE in request.meta
            or bool(request.meta.get("dont_obey_robotstxt"))
        )

    def _require(self, url: str, request: Request, response: Response | None) -> None:
        """Raise if robots.txt or the header of a response disallows a use of a URL."""
        usage = self._reader.early_usage(url, request, response)
        category = None if usage is None else self._requirement.broken(usage)
        if usage is not None and category is not None:
            made, status = response is not None, None if response is None else response.status
            write_down(self._sites, request, made=made, reason=KEPT_FROM_USE, status=status, usage=usage)
            self._refuse(url, category, usage, usage.explain(category))

    def _refuse(self, url: str, category: str, usage: Usage, why: str) -> None:
        self._crawler.stats.inc_value("comity/usage_disallowed")
        self._crawler.stats.inc_value(f"comity/usage_disallowed/{category}")
        raise UsageDisallowed(url, category, usage, why)

    async def _files_of(self, url: str) -> SiteFiles:
        """Return the site files of a URL's origin."""
        origin = origin_of(url)
        if origin is None or not origin.startswith(("http:", "https:")):
            return _NO_FILES
        known = self._files.get(origin)
        if known is not None and self._sites.clock() < known[0]:
            return known[1]
        return await self._flights.run(origin, lambda: self._fetch_files(origin))

    async def _fetch_files(self, origin: str) -> SiteFiles:
        """Fetch and cache the site files of an origin. After a failure, skip the other file."""
        if not self._fetching:  # connected only when needed: the signal comes for every chunk of every page
            self._crawler.signals.connect(self._bytes_received, signals.bytes_received)
        self._fetching += 1
        try:
            files, lifetime = await self._fetch_both(origin), _LIFETIME
        finally:
            self._fetching -= 1
            if not self._fetching:
                self._crawler.signals.disconnect(self._bytes_received, signals.bytes_received)
        if files.failure is not None:
            lifetime = _RETRY
        self._files[origin] = self._sites.clock() + lifetime, files
        self._files.move_to_end(origin)
        while len(self._files) > _MAX_ORIGINS:
            self._files.popitem(last=False)
        return files

    async def _fetch_both(self, origin: str) -> SiteFiles:
        bodies: list[bytes | None] = []
        for path in ("/.well-known/tdmrep.json", "/ai.txt"):
            try:
                bodies.append(await self._fetch_file(origin, path))
            except MustWait:
                raise
            except Exception as failure:  # its preferences are unknown now, and may be known later
                error = str(failure) or type(failure).__name__
                return SiteFiles(None, None, printable(f"{origin}{path} cannot be had: {error}"))
        tdm, ai = bodies
        return SiteFiles(None if tdm is None else tdmrep(tdm), None if ai is None else ai_txt(ai), None)

    async def _fetch_file(self, origin: str, path: str) -> bytes | None:
        """Return the body of a site file, `None` if there is none or robots.txt disallows it.

        Raises an error of Scrapy if the file cannot be fetched now, or `OSError` if the server fails.
        """
        url = f"{origin}{path}"
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                response = await self._crawler.engine.download_async(_request_for(url, origin))
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
                return None  # redirected to a URL that is not HTTP: no file
        else:
            return None
        if response.status == 429 or response.status >= 500:
            raise OSError(f"its server answers {response.status}")
        media = (response.headers.get(b"Content-Type") or b"").partition(b";")[0].strip().lower()
        # Some servers answer every URL with an HTML page: no such file.
        return None if not 200 <= response.status < 300 or media == b"text/html" else response.body

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a download that exceeds the limit."""
        received = request.meta.get(_SITE_FILE)
        if received is not None:
            received[0] += len(data)
            if received[0] > _LIMIT:
                raise StopDownload(fail=False)


def _request_for(url: str, origin: str) -> Request:
    """Return the request for a site file.

    Each redirect is judged, and failures are not retried immediately.
    """
    meta = {
        _SITE_FILE: [0],
        ACQUIRED_FOR: origin,
        "allow_offsite": True,
        "dont_cache": True,
        "dont_redirect": True,
        "dont_retry": True,
        "download_fail_on_dataloss": True,
        "download_maxsize": _MAX_DECODED,
        "download_timeout": _TIMEOUT,
        "download_warnsize": 0,
        "handle_httpstatus_all": True,
    }
    return Request(url, priority=1000, callback=NO_CALLBACK, meta=meta)
