"""Responses -> `comity.Page`: what a page, its header and its site let the robot do with it, read once."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response

from ...protocol.header_fields import pairs_of
from ...robot.page import Page, SiteFiles, judged

if TYPE_CHECKING:
    from .sites import Sites

__all__ = ["Reader"]


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
