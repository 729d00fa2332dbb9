"""The downloader middleware that renders HTML pages (`comity crawl --render`)."""

from math import isfinite

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK

from ... import errors
from ...errors import InvalidURL
from ...integrations.scrapy.acquisition import ACQUIRED_FOR
from ...integrations.scrapy.sites import Sites
from ...integrations.scrapy.usage_middleware import UsageMiddleware
from ...protocol import Origin, hostname, pairs_of
from ..failures import description
from ..frontier import entry_of, is_entry
from ..job.entry import Entry
from ..limits.bodies import is_html
from ..output.reception import Reception
from ..session.authorization import WITHOUT_LOGIN
from .browser import Browser
from .page_request import PageReply, PageRequest, Refused, text_fields
from .response import rendered_response
from .shared_files import SharedFiles

#: The key of `Request.meta` that marks the request of a page.
_OF_PAGE = "comity_of_page"

#: Maximum seconds for a request of a page.
_TIMEOUT = 30.0


class RenderMiddleware:
    """Replaces the body of an HTML page by its DOM after its scripts have run.

    The browser has no network. Its requests go through the engine of the crawl: robots.txt, the delays, the
    leases and the decision log apply to them, and they reach only public addresses.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._sites = Sites.of(crawler)
        self._files = SharedFiles()
        self._browser = Browser(crawler.settings["COMITY_BROWSER"], crawler.settings["USER_AGENT"])
        crawler.signals.connect(self._browser.stop, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RenderMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> Response | None:
        """Return the fresh response to an earlier request for the same file, which an archive has already."""
        known = self._files.find(_page_request(request)) if _is_shared(request) else None
        if known is None:
            return None
        return Response(
            request.url,
            status=known.status,
            headers=Headers(known.fields),
            body=known.body,
            flags=["cached"],
            request=request,
        )

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Return the rendered page. Raises `UsageDisallowed` if the rendered page disallows a use."""
        if _is_shared(request) and "cached" not in response.flags:
            self._files.add(_page_request(request), _reply(response))
        if not is_rendered(request, response):
            return response
        entry = entry_of(request)

        async def send(wanted: PageRequest, seconds: float) -> PageReply:
            return await self._send(entry, wanted, seconds)

        rendering = await self._browser.render(request.url, _reply(response), send)
        rendered = rendered_response(response, rendering)
        reception = Reception.of(request)
        if reception is not None and rendered.is_rendered:
            reception.rendered = rendered.body
        usage = self._crawler.get_downloader_middleware(UsageMiddleware)
        return rendered if usage is None else await usage.process_response(request, rendered)

    async def _send(self, entry: Entry, wanted: PageRequest, seconds: float) -> PageReply:
        """Send a request of a page. Raises `Refused`."""
        try:
            origin = str(Origin.of(wanted.url))
            request = self._request(entry, wanted, origin)
            pacer = self._sites.pacer
            wait = 0.0 if pacer is None else pacer.ready(request) - self._sites.monotonic()
            if wait > seconds:
                raise Refused("the time for the page was over")
            response = await self._crawler.engine.download_async(request)
        except Refused:
            raise
        except errors.Unreachable:
            raise Refused("robots.txt is unreachable") from None
        except errors.Disallowed:
            raise Refused("disallowed by robots.txt") from None
        except errors.MustWait as error:
            raise Refused(error.reason if isfinite(error.seconds) else "its site is busy") from None
        except errors.NotPublic:
            raise Refused("its address is not public") from None
        except errors.UsageDisallowed as error:
            raise Refused(f"{error.category} is disallowed") from None
        except (InvalidURL, ValueError):
            raise Refused("its URL is not valid") from None
        except Exception as error:
            raise Refused(description(error)) from None
        return _reply(response)

    def _request(self, entry: Entry, wanted: PageRequest, origin: str) -> Request:
        return Request(
            wanted.url,
            method=wanted.method,
            headers=dict(wanted.fields),
            callback=NO_CALLBACK,
            meta={
                ACQUIRED_FOR: entry.origin,
                _OF_PAGE: True,
                WITHOUT_LOGIN: origin != entry.origin,
                "allow_offsite": True,
                "download_slot": hostname(origin),
                "download_timeout": _TIMEOUT,
                "handle_httpstatus_all": True,
            },
        )


def _is_shared(request: Request) -> bool:
    """Return whether a request is for a file that a page embeds: by the page, or by the crawl."""
    return _OF_PAGE in request.meta or (is_entry(request) and entry_of(request).kind == "resource")


def _page_request(request: Request) -> PageRequest:
    """Return a request of the crawl as one of a page."""
    return PageRequest(request.url, request.method, text_fields(pairs_of(request.headers)), "")


def _reply(response: Response) -> PageReply:
    return PageReply(response.status, text_fields(pairs_of(response.headers)), response.body)


def is_rendered(request: Request, response: Response) -> bool:
    """Return whether a page is rendered: an HTML page of the job, but not an error or a resource."""
    return (
        is_entry(request)
        and entry_of(request).kind == "page"
        and request.method == "GET"
        and 200 <= response.status < 300
        and bool(response.headers.get(b"Content-Type"))
        and bool(response.body)
        and is_html(response)
    )
