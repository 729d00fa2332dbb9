"""The downloader middleware that leaves out what sites keep from the uses that `COMITY_RESPECT` names."""

from collections import OrderedDict

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from ...protocol.usage.ai_txt import CATEGORY as TRAINING
from ...protocol.usage.ai_txt import ai_txt
from ...protocol.usage.answer import Usage, usage
from ...protocol.usage.tdmrep import CATEGORIES as MINING
from ...protocol.usage.tdmrep import tdmrep
from ...robot.page import SiteFiles
from .asking import is_asking
from .decisions import write_down
from .flights import Flights
from .reading import Reader
from .refusals import Disallowed, Unreachable, UsageDisallowed
from .sites import Sites, origin_of

__all__ = ["UsageMiddleware"]

#: The key of `Request.meta` of what is read as the site's own word, whatever it may be used for.
_ANY_USE = "comity_any_use"

#: The files of so many origins are kept ready, for so many seconds.
_READY, _LIFETIME = 4096, 86_400.0

#: So much of a site's file is read, in octets, and for so many seconds.
_LIMIT, _TIMEOUT = 512 * 1024, 30.0

_NO_FILES = SiteFiles(None, None, None)


class UsageMiddleware:
    """Raises `UsageDisallowed` before a page is fetched that robots.txt keeps from a use, or after.

    What serves training or mining has each origin asked for `tdmrep.json` and `ai.txt` too, once a day.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Take the crawl; raises `NotConfigured` unless there is anything to respect."""
        self._sites = Sites.of(crawler)
        self._requirement = self._sites.options.respect
        if not self._requirement.categories or not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._reader: Reader = self._sites.reader
        self._needs_files = not {TRAINING, *MINING}.isdisjoint(self._requirement.categories)
        self._files: OrderedDict[str, tuple[float, SiteFiles]] = OrderedDict()
        self._flights: Flights[SiteFiles] = Flights()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "UsageMiddleware":
        """Make one for a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Let a request go on whose content may be used, as far as is known by now."""
        if self._is_free(request):
            return
        site = self._sites.find(request.url)
        if site is not None and site.access is not None:
            agent = self._sites.agent(request)
            view = site.view(agent)
            if view.speaks and view.rules is not None:
                said = usage(request.url, agent=agent, robots=view.rules)
                category = self._requirement.broken(said)
                if category is not None:
                    self._refuse(request.url, category, said, said.explain(category))
        if self._needs_files:
            await self._files_of(request.url)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Hand out a response whose content may be used; one that is no success has none."""
        if not self._is_free(request) and 200 <= response.status < 300:
            files = await self._files_of(response.url) if self._needs_files else None
            page = await self._reader.read(response, request, files)
            unmet = self._requirement.unmet(page)
            if unmet is not None:
                write_down(
                    self._sites,
                    request,
                    made=True,
                    reason="usage-disallowed",
                    status=response.status,
                    usage=page.usage,
                )
                category, why = unmet
                self._refuse(response.url, category, page.usage, why)
        return response

    def _is_free(self, request: Request) -> bool:
        """Say whether a request is not for content that is used."""
        return is_asking(request) or _ANY_USE in request.meta or bool(request.meta.get("dont_obey_robotstxt"))

    def _refuse(self, url: str, category: str, said: Usage, why: str) -> None:
        self._crawler.stats.inc_value("comity/usage_disallowed")
        self._crawler.stats.inc_value(f"comity/usage_disallowed/{category}")
        raise UsageDisallowed(url, category, said, why)

    async def _files_of(self, url: str) -> SiteFiles:
        """Give what a site keeps beside its robots.txt; raises `IgnoreRequest` if its server fails."""
        origin = origin_of(url)
        if origin is None or not origin.startswith(("http:", "https:")):
            return _NO_FILES
        known = self._files.get(origin)
        if known is not None and self._sites.clock() < known[0]:
            return known[1]
        return await self._flights.once(origin, lambda: self._ask(origin))

    async def _ask(self, origin: str) -> SiteFiles:
        mining = await self._file(f"{origin}/.well-known/tdmrep.json")
        training = await self._file(f"{origin}/ai.txt")
        files = SiteFiles(
            None if mining is None else tdmrep(mining), None if training is None else ai_txt(training), None
        )
        self._files[origin] = self._sites.clock() + _LIFETIME, files
        self._files.move_to_end(origin)
        while len(self._files) > _READY:
            self._files.popitem(last=False)
        return files

    async def _file(self, url: str) -> bytes | None:
        """Give a file of a site, `None` if it has none or keeps it from robots."""
        meta = {
            _ANY_USE: True,
            "dont_cache": True,
            "allow_offsite": True,
            "download_maxsize": _LIMIT,
            "download_timeout": _TIMEOUT,
        }
        try:
            response = await self._crawler.engine.download_async(
                Request(url, priority=1000, callback=NO_CALLBACK, meta=meta)
            )
        except Unreachable:
            raise
        except Disallowed:
            return None
        except IgnoreRequest:
            raise
        except Exception as failure:  # what it would have said is not known, and may be known later
            raise IgnoreRequest(f"{url} cannot be had, so nothing is used: {failure}") from failure
        if response.status == 429 or response.status >= 500:
            raise IgnoreRequest(f"{url} answers {response.status}, so nothing is used")
        media = (response.headers.get(b"Content-Type") or b"").partition(b";")[0].strip().lower()
        # A server that answers every address with a page of its own has no such file.
        return None if not 200 <= response.status < 300 or media == b"text/html" else response.body
