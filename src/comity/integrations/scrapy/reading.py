"""Responses -> `comity.Page`: what a page, its header and its site let the robot do with it, read once."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response

from ...protocol.header_fields import pairs_of
from ...protocol.page.silence import is_silent
from ...protocol.usage.answer import FIELDS
from ...robot.page import Page, SiteFiles, judged

if TYPE_CHECKING:
    from .sites import Sites

__all__ = ["Reader"]

#: The header fields that say something, as Scrapy writes them.
_FIELDS = frozenset(name.title().encode() for name in FIELDS)


class Reader:
    """Reads the responses of one crawl; a page is read where somebody wants to know, and not again."""

    def __init__(self, sites: "Sites") -> None:
        """Take what is known of the sites."""
        self._sites = sites
        self._pages: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()

    def page(self, response: Response, request: Request, files: SiteFiles | None = None) -> Page:
        """Read the response to a request; `files` is what its site keeps beside its robots.txt."""
        page = self._pages.get(response)
        if page is None:
            page = self._pages[response] = self._judged(response, request, files)
        return page

    def is_silent(self, response: Response, request: Request) -> bool:
        """Say whether a response surely forbids nothing, which is quicker to tell than what it forbids."""
        site = self._sites.find(response.url)
        if site is None or site.access is None or not _FIELDS.isdisjoint(response.headers):
            return False
        view = site.view(self._sites.agent(request))
        return not view.speaks and is_silent(response.body, view.names, b"nofollow")

    def _judged(self, response: Response, request: Request, files: SiteFiles | None) -> Page:
        agent = self._sites.agent(request)
        site = self._sites.find(response.url)
        robots = None
        if site is not None and site.access is not None:
            robots = site.view(agent).rules or site.access
        return judged(
            response.url,
            tuple(request.meta.get("redirect_urls", ())),
            response.status,
            [(name, _text(value)) for name, value in pairs_of(response.headers)],
            response.body,
            agent=agent,
            now=self._sites.clock(),
            robots=robots,
            files=files,
        )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
