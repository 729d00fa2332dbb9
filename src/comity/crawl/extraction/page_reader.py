"""Read the responses of a crawl: each page is scanned once, for its directives, links and resources."""

from weakref import WeakKeyDictionary

from scrapy.http import Response

from ...integrations.scrapy.reading import run_without_blocking
from ...politeness import Page
from ...protocol.page import Element
from ..facts.head import Head
from ..job.entry import Entry
from ..limits.bodies import is_html, is_style_sheet
from ..rendering.response import RenderedResponse
from ..selection.scope import Scope
from .links import LinkSorter, listed_urls
from .page_scan import PageScan, page_scan
from .resolver import LinkResolver


class PageReader:
    """Reads responses within the scope of a crawl."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._scans: WeakKeyDictionary[Response, PageScan] = WeakKeyDictionary()

    def elements_of(self, response: Response) -> list[Element] | None:
        """Return the META tags and `base` elements of an HTML page; `None` for any other response."""
        scan = self._scan(response) if is_html(response) else None
        if scan is None or not isinstance(response, RenderedResponse):
            return None if scan is None else scan.elements
        received = page_scan(response.received)  # a script may remove a META tag, but not its meaning
        tags = () if received is None else (each for each in received.elements if each.tag == "meta")
        return [*scan.elements, *tags]

    def head_of(self, response: Response) -> Head | None:
        """Return the facts in the head of an HTML page; `None` for any other response."""
        scan = self._scan(response)
        return None if scan is None or scan.head is None else scan.head.head(response.url)

    def _scan(self, response: Response) -> PageScan | None:
        """Scan an HTML page or a style sheet, once; return `None` for any other response."""
        scan = self._scans.get(response)
        if scan is None and (scan := page_scan(response)) is not None:
            self._scans[response] = scan
            if isinstance(response, RenderedResponse):
                _add_received(scan, response)
        return scan

    async def links_of(
        self, entry: Entry, response: Response, page: Page, *, with_resources: bool
    ) -> LinkSorter:
        """Return the URLs that a page or sitemap lists; those that it embeds too, if requested."""
        found = LinkSorter(entry, self._scope)
        if entry.kind != "resource" or (with_resources and is_style_sheet(response)):
            await run_without_blocking(
                len(response.body), lambda: self._sort(found, entry, response, page, with_resources)
            )
        return found

    def _sort(
        self, found: LinkSorter, entry: Entry, response: Response, page: Page, with_resources: bool
    ) -> None:
        if entry.kind == "sitemap":
            found.add_listed(listed_urls(response.body))
            return
        follow, scan = page.directives.follow.allowed, self._scan(response)
        if scan is None:
            if entry.kind == "page":
                found.add_xml_links(page.directives.links, follow=follow)
            return
        resolver = LinkResolver(response.url, scan.base, scan.codec)
        if entry.kind == "page":
            found.add_links(scan.links, resolver, follow=follow)
        if follow and with_resources:
            found.add_resources(scan.resources, resolver, in_style_sheet=is_style_sheet(response))
            found.count_dropped("unread-style", scan.unread)


def _add_received(scan: PageScan, response: RenderedResponse) -> None:
    """Add the pages that a rendered page led to; if its DOM may end early, also the links as received."""
    scan.links.add_all(response.rendering.targets, 0)
    received = page_scan(response.received) if response.rendering.may_lack_links else None
    if received is not None:
        scan.links.add_missing(received.links)
        scan.resources.add_missing(received.resources)
