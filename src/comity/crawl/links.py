"""Sort the URLs found on a page, in a sitemap or in a robots.txt into requests and skipped links."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from scrapy import Request

from ..protocol.page.links import Link
from ..protocol.sitemap import InvalidSitemap, SitemapEntry, sitemap_entries
from .job.entry import Entry, LinkRequest, SkippedLink
from .scope import Scope
from .urls import normalized

#: Maximum number of links read from one page.
_MAX_LINKS = 10_000

#: Maximum number of URLs read from a sitemap, as in its protocol.
_MAX_LISTED = 50_000

#: Maximum number of sitemaps read from a robots.txt.
_MAX_SITEMAPS = 100

#: Maximum number of consecutive redirects, and of nested style sheets.
MAX_HOPS = 20


class LinkSorter:
    """The requests and skipped links that result from one entry."""

    def __init__(self, entry: Entry, scope: Scope) -> None:
        self.requests: list[LinkRequest] = []
        self.skipped: list[SkippedLink] = []
        self._entry = entry
        self._scope = scope

    def add_links(self, links: Iterable[Link], *, follow: bool) -> None:
        """Add the links of a page; `follow` is false if the page says nofollow."""
        depth = self._entry.depth + 1
        for number, link in enumerate(links):
            if number >= _MAX_LINKS:
                self._skip(self._entry.url, "too-many-links", link.line)
                break
            if link.url is None or not link.url.lower().startswith(("http://", "https://")):
                continue
            with suppress(ValueError):  # `InvalidURL` is a ValueError
                origin, url = _normalized(link.url)
                reason = self._scope.skip_reason(origin, url, depth)
                if not (follow and link.follow) and reason is None:
                    reason = "nofollow"
                self._add(
                    LinkRequest(url, origin, depth, "page", False, 0, self._entry.url, link.line),
                    reason,
                    link.line,
                )

    def add_resources(self, resources: Iterable[Link], *, in_style_sheet: bool) -> None:
        """Add the resources that a page or style sheet embeds. They have the depth of the page.

        Style sheets that import each other end after `MAX_HOPS`.
        """
        depth, hops = self._entry.depth, self._entry.hops + 1 if in_style_sheet else 0
        for number, resource in enumerate(resources):
            if number >= _MAX_LINKS:
                self._skip(self._entry.url, "too-many-links", resource.line)
                break
            with suppress(ValueError):
                origin, url = _normalized(resource.url or "")
                reason = self._scope.skip_reason(origin, url, depth)
                if hops > MAX_HOPS:
                    reason = reason or "too-deep"
                source = self._entry.url, resource.line
                request = LinkRequest(url, origin, depth, "resource", False, hops, *source)
                self._add(request, reason, resource.line)

    def add_listed(self, entries: Iterable[SitemapEntry]) -> None:
        """Add the entries of a sitemap. Pages have depth 0; an index within an index is skipped."""
        depth = self._entry.depth
        for number, entry in enumerate(entries):
            if number >= _MAX_LISTED:
                self._skip(self._entry.url, "too-many-links", None)
                break
            with suppress(ValueError):
                origin, url = _normalized(entry.url)
                reason = self._scope.skip_reason(origin, url, 0)
                is_sitemap = entry.kind == "sitemap"
                if is_sitemap and depth >= 1:
                    reason = reason or "too-deep"
                depth_of = depth + 1 if is_sitemap else 0
                request = LinkRequest(url, origin, depth_of, entry.kind, False, 0, self._entry.url, None)
                self._add(request, reason, None)

    def add_sitemaps(self, urls: Iterable[str], source: str) -> None:
        """Add the sitemaps that the robots.txt at `source` names, or the default one."""
        for number, listed in enumerate(urls):
            if number >= _MAX_SITEMAPS:
                self.skipped.append(SkippedLink(source, "too-many-links", source, None))
                break
            with suppress(ValueError):
                origin, url = _normalized(listed)
                reason = self._scope.skip_reason(origin, url, 0)
                if reason in (None, "not-included"):
                    self.requests.append(LinkRequest(url, origin, 0, "sitemap", False, 0, source, None))
                else:
                    self.skipped.append(SkippedLink(url, reason, source, None))

    def add_redirect(self, location: str) -> None:
        """Add the target of a redirect; raises `ValueError` if it is invalid or one redirect too many.

        A host that a start URL redirects to becomes a start host, and patterns do not apply there.
        """
        entry = self._entry
        if entry.hops >= MAX_HOPS:
            raise ValueError(f"more than {MAX_HOPS} redirects in a row")
        origin, url = _normalized(location)
        if entry.start:
            self._scope.add_host(origin)
        reason = self._scope.skip_reason(origin, url, 0 if entry.start else entry.depth)
        if entry.start and reason in ("excluded", "not-included"):
            reason = None
        hops = entry.hops + 1
        request = LinkRequest(url, origin, entry.depth, entry.kind, entry.start, hops, entry.url, None)
        self._add(request, reason, None)

    def _add(self, request: LinkRequest, reason: str | None, line: int | None) -> None:
        if reason is None:
            self.requests.append(request)
        else:
            self._skip(request.url, reason, line)

    def _skip(self, url: str, reason: str, line: int | None) -> None:
        self.skipped.append(SkippedLink(url, reason, self._entry.url, line))


def _normalized(url: str) -> tuple[str, str]:
    """Return the origin and the stored form of a URL with the escapes that Scrapy adds."""
    return normalized(Request(url).url)


def listed_urls(body: bytes) -> list[SitemapEntry]:
    """Return the entries of a sitemap as far as it is valid, without lines that are not URLs."""

    def entries() -> Iterator[SitemapEntry]:
        with suppress(InvalidSitemap):
            for kind, url in sitemap_entries([body]):
                if kind != "line":
                    yield SitemapEntry(kind, url)
                elif url[:8].lower().startswith(("http://", "https://")):
                    yield SitemapEntry("page", url.encode(errors="surrogateescape").decode(errors="replace"))

    return list(islice(entries(), _MAX_LISTED + 1))
