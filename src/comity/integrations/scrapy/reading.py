"""Responses -> `comity.Page`: what a page, its header and its site let the robot do with it, read once."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread

from ...politeness.page import LIMIT, Page, SiteFiles, judged
from ...protocol.access.header_fields import pairs_of
from ...protocol.access.outcome import Access
from ...protocol.page.silence import is_silent
from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.robotstxt.rules import Rules
from ...protocol.usage.answer import FIELDS, Usage, usage

if TYPE_CHECKING:
    from .sites import Sites

__all__ = ["Reader", "in_time"]

_Result = TypeVar("_Result")

#: A page of more octets is read where that keeps nobody else waiting.
_QUICK = 1 << 16

#: The header fields that say something, as Scrapy writes them.
_FIELDS = frozenset(name.title().encode() for name in FIELDS)


class Reader:
    """Reads the responses of one crawl; a page is read where somebody wants to know, and not again."""

    def __init__(self, sites: "Sites") -> None:
        """Take what is known of the sites."""
        self._sites = sites
        self._pages: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()

    def page(self, response: Response, request: Request) -> Page:
        """Read the response to a request."""
        page = self._pages.get(response)
        if page is None:
            page = self._pages[response] = self._reading(response, request, None)()
        return page

    async def read(self, response: Response, request: Request, files: SiteFiles | None = None) -> Page:
        """Read as `page` does; `files` is what the site keeps beside its robots.txt."""
        page = self._pages.get(response)
        if page is None:
            reading = self._reading(response, request, files)
            page = self._pages[response] = await in_time(len(response.body), reading)
        return page

    def is_silent(self, response: Response, request: Request) -> bool:
        """Say whether a response surely forbids nothing, which is quicker to tell than what it forbids."""
        site = self._sites.find(response.url)
        if site is None or site.access is None or not _FIELDS.isdisjoint(response.headers):
            return False
        view = site.view(self._sites.agent(request))
        return not view.speaks and is_silent(response.body[:LIMIT], view.names, b"nofollow")

    def said(self, url: str, request: Request, response: Response | None = None) -> Usage | None:
        """Give what robots.txt and the header fields say of usage, `None` if they say nothing."""
        is_told = response is not None and not _FIELDS.isdisjoint(response.headers)
        if not is_told:
            site = self._sites.find(url)
            if site is None or site.access is None or not site.view(self._sites.agent(request)).speaks:
                return None
        pairs = pairs_of(response.headers) if is_told and response is not None else ()
        headers = [(name, _text(value)) for name, value in pairs if name in FIELDS]
        agent = self._sites.agent(request)
        return usage(url, agent=agent, robots=self._robots(url, agent), headers=headers)

    def whole(self, url: str, request: Request, ai_txt: RobotsTxt | None) -> Usage:
        """Give what is known of the usage of a URL before it is fetched."""
        agent = self._sites.agent(request)
        return usage(url, agent=agent, robots=self._robots(url, agent), ai_txt=ai_txt)

    def _robots(self, url: str, agent: str) -> Rules | Access | None:
        """Give what the robots.txt of a URL's origin says to a robot, `None` if that is not known."""
        site = self._sites.find(url)
        return None if site is None or site.access is None else site.view(agent).rules or site.access

    def _reading(self, response: Response, request: Request, files: SiteFiles | None) -> Callable[[], Page]:
        """Give what reads a response, in whatever thread."""
        agent = self._sites.agent(request)
        return partial(
            judged,
            response.url,
            tuple(request.meta.get("redirect_urls", ())),
            response.status,
            [(name, _text(value)) for name, value in pairs_of(response.headers)],
            response.body,
            agent=agent,
            now=self._sites.clock(),
            robots=self._robots(response.url, agent),
            files=files,
        )


async def in_time(octets: int, work: Callable[[], _Result]) -> _Result:
    """Do what takes time with the octets of a page, in a thread if they are many: it keeps nobody waiting."""
    return await run_in_thread(work) if octets > _QUICK else work()


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
