"""The spider middleware: does with links and items what their page lets it do."""

import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response, TextResponse
from w3lib.url import canonicalize_url

from ...politeness.page import Page
from ...protocol.robotstxt.fields.vocabulary import Preference
from .decisions import write_page_down
from .reading import in_time
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
        word, is_read = None, False
        async for each in result:
            if not is_read and self._matters(each):
                word, is_read = await self._word(response), True
            if word is None or self._passes(each, response, word):
                yield each

    def _matters(self, each: Any) -> bool:
        """Say whether what a page says can change what becomes of a request or item."""
        if isinstance(each, Request):
            return self._nofollow
        return each is not None and bool(self._field or self._drop)

    async def _word(self, response: Response) -> "_Word | None":
        """Give what a response says, `None` if it says nothing, or is not to be asked."""
        request = response.request
        if request is None or request.meta.get("dont_obey_robotstxt"):
            return None
        if self._sites.reader.is_silent(response, request):
            return None
        page = await self._sites.reader.read(response, request)
        write_page_down(
            self._sites, request, page.usage, reason="page-read", status=response.status, page=page
        )
        encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"
        return await in_time(len(response.body), lambda: _Word(page, encoding))

    def _passes(self, each: Any, response: Response, word: "_Word") -> bool:
        if not self._matters(each):
            return True
        return self._follows(each, response, word) if isinstance(each, Request) else self._keeps(each, word)

    def _follows(self, request: Request, response: Response, word: "_Word") -> bool:
        """Say whether a request may be made that a page led to; one for the page itself may."""
        if request.meta.get("dont_obey_robotstxt") or request.url in (response.url, *word.hops):
            return True
        if not word.follow:
            why = "page"
        elif word.closed and canonicalize_url(request.url) in word.closed:
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

    def _keeps(self, item: Any, word: "_Word") -> bool:
        """Say whether an item of a page may be kept, and mark it."""
        broken = next((question for question in word.said if question in self._drop), None)
        if broken is not None:
            self._crawler.stats.inc_value("comity/items_dropped")
            self._crawler.stats.inc_value(f"comity/items_dropped/{broken}")
            return False
        if self._field and word.said:
            self._mark(item, word.said)
        return True

    def _mark(self, item: Any, said: dict[str, str]) -> None:
        if self._is_marked(item, said):
            return
        if type(item) not in self._told:
            self._told.add(type(item))
            _logger.warning(
                "%s has no field %r for a dict, so its items are not marked with what their pages forbid",
                type(item).__name__,
                self._field,
            )

    def _is_marked(self, item: Any, said: dict[str, str]) -> bool:
        """Mark an item if it can be, and say whether it is."""
        from itemadapter import (
            ItemAdapter,
            is_item,
        )  # which loads pydantic and its like

        if not is_item(item):
            return False
        adapter = ItemAdapter(item)
        if not isinstance(item, dict) and self._field not in adapter.field_names():
            return False
        if not adapter.get(self._field):
            try:
                adapter[self._field] = dict(said)
            except Exception:  # it is frozen, or its own checks refuse a dict: no reason to lose the item
                return False
            self._crawler.stats.inc_value("comity/items_marked")
        return True


class _Word:
    """What a page says, as far as it changes what becomes of its requests and items."""

    __slots__ = ("closed", "follow", "hops", "said")

    def __init__(self, page: Page, encoding: str) -> None:
        self.hops = page.hops
        self.follow = bool(page.directives.follow)
        #: the URLs, as Scrapy compares them, to which it has links with nofollow and no others
        self.closed = frozenset(_closed(page, encoding) if self.follow else ())
        #: what it forbids, each with the words that say so
        self.said = _said(page)


def _closed(page: Page, encoding: str) -> Iterator[str]:
    closed: set[str] = set()
    open_: set[str] = set()
    for link in page.directives.links:
        if link.url is not None:
            (open_ if link.follow else closed).add(link.url.partition("#")[0])
    same = set(_canonical(open_, encoding)) if closed else ()
    return (url for url in _canonical(closed - open_, encoding) if url not in same)


def _canonical(urls: Iterable[str], encoding: str) -> Iterator[str]:
    for url in urls:
        with suppress(ValueError):  # it is none that Scrapy could ask for
            yield canonicalize_url(Request(url, encoding=encoding).url)


def _said(page: Page) -> dict[str, str]:
    uses = {}
    for category in page.usage.categories:
        one = page.usage.deciding(category)
        if one is not None and one.preference is Preference.DISALLOW:
            uses[category] = str(one)
    return {**page.forbidden, **uses}
