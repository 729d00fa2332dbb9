"""The spider middleware: does with links and items what their page lets it do."""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from itemadapter import ItemAdapter, is_item
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from ...protocol.usage.vocabulary import Preference
from ...robot.page import Page
from .decisions import write_down
from .sites import Sites

__all__ = ["PageMiddleware", "page_of"]

_logger = logging.getLogger(__name__)


def page_of(response: Response, crawler: Crawler) -> Page:
    """Give what a response of a crawl that obeys lets the robot do: `page_of(response, self.crawler)`.

    `directives` are the answers of META robots and X-Robots-Tag, `usage` is what the site prefers, and
    `links` are those that may be followed.
    """
    sites = Sites.of(crawler)
    return sites.reader.page(response, response.request or Request(response.url))


class PageMiddleware:
    """Drops requests by nofollow, and marks or drops the items of pages that forbid something.

    A page is read when its callback gives the first request or item, and not before.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Take the crawl; raises `NotConfigured` where nothing is to be done."""
        self._sites = Sites.of(crawler)
        options = self._sites.options
        self._nofollow, self._field, self._drop = options.nofollow, options.mark, options.drop
        if not crawler.settings.getbool("ROBOTSTXT_OBEY") or not (
            self._nofollow or self._field or self._drop
        ):
            raise NotConfigured
        self._crawler = crawler
        self._told: set[type] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageMiddleware":
        """Make one for a crawl."""
        return cls(crawler)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """Pass on what the page lets be followed and kept."""
        judge = _Judge(self, response)
        async for each in result:
            if judge.passes(each):
                yield each

    def page(self, response: Response) -> Page | None:
        """Give what a response says, `None` if it says nothing, or is not to be asked."""
        request = response.request
        if request is None or request.meta.get("dont_obey_robotstxt"):
            return None
        if self._sites.reader.is_silent(response, request):
            return None
        page = self._sites.reader.page(response, request)
        status, said = response.status, page.usage
        write_down(self._sites, request, made=True, reason="page-read", status=status, usage=said, page=page)
        return page

    def passes_request(
        self, request: Request, response: Response, page: Page, closed: "frozenset[str]"
    ) -> bool:
        """Say whether a request may be made that a page led to; one for the page itself may."""
        if request.meta.get("dont_obey_robotstxt") or request.url in (response.url, *page.hops):
            return True
        if not page.directives.follow:
            why = "page"
        elif request.url in closed:
            why = "link"
        else:
            return True
        self._crawler.stats.inc_value(f"comity/nofollow/{why}")
        _logger.debug(
            "Not followed, since the %(why)s says nofollow: %(request)s",
            {"why": why, "request": request},
            extra={"spider": self._crawler.spider},
        )
        return False

    def passes_item(self, item: Any, said: dict[str, str]) -> bool:
        """Say whether an item of a page may be kept, and mark it."""
        broken = next((question for question in said if question in self._drop), None)
        if broken is not None:
            self._crawler.stats.inc_value("comity/items_dropped")
            self._crawler.stats.inc_value(f"comity/items_dropped/{broken}")
            return False
        if self._field and said:
            self._mark(item, said)
        return True

    @property
    def follows_all(self) -> bool:
        """Whether links are followed whatever their page says."""
        return not self._nofollow

    @property
    def keeps_all(self) -> bool:
        """Whether items are kept as they are whatever their page says."""
        return not (self._field or self._drop)

    def _mark(self, item: Any, said: dict[str, str]) -> None:
        adapter = ItemAdapter(item)
        if isinstance(item, dict) or self._field in adapter.field_names():
            if not adapter.get(self._field):
                adapter[self._field] = dict(said)
                self._crawler.stats.inc_value("comity/items_marked")
        elif type(item) not in self._told:
            self._told.add(type(item))
            _logger.warning(
                "%s has no field %r, so its items are not marked with what their pages forbid",
                type(item).__name__,
                self._field,
            )


class _Judge:
    """Judges what one callback gives."""

    def __init__(self, middleware: PageMiddleware, response: Response) -> None:
        self._middleware = middleware
        self._response = response
        self._read = False
        self._page: Page | None = None
        self._closed: frozenset[str] | None = None
        self._said: dict[str, str] | None = None

    def passes(self, each: Any) -> bool:
        if isinstance(each, Request):
            if self._middleware.follows_all or (page := self._of()) is None:
                return True
            if self._closed is None:
                self._closed = frozenset(_closed(page))
            return self._middleware.passes_request(each, self._response, page, self._closed)
        if self._middleware.keeps_all or not is_item(each) or (page := self._of()) is None:
            return True
        if self._said is None:
            self._said = _said(page)
        return self._middleware.passes_item(each, self._said)

    def _of(self) -> Page | None:
        if not self._read:
            self._page, self._read = self._middleware.page(self._response), True
        return self._page


def _closed(page: Page) -> Iterator[str]:
    """Give the URLs, as Scrapy writes them, to which a page has links with nofollow and no others."""
    if not page.directives.follow:
        return
    closed: set[str] = set()
    open_: set[str] = set()
    for link in page.directives.links:
        if link.url is not None:
            (open_ if link.follow else closed).add(link.url)
    for url in closed - open_:
        try:
            written = Request(url).url
        except ValueError:
            continue
        yield written
        yield written.partition("#")[0]


def _said(page: Page) -> dict[str, str]:
    """Say what a page forbids, each with the words that say so."""
    uses = {}
    for category in page.usage.categories:
        one = page.usage.deciding(category)
        if one is not None and one.preference is Preference.DISALLOW:
            uses[category] = str(one)
    return {**page.forbidden, **uses}
