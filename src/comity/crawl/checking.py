"""How `comity crawl --spider` checks links: with HEAD, or with GET where a page may have more links."""

from urllib.parse import urlsplit

from scrapy.http import Response

from .job.entry import Entry
from .selection.scope import Scope

#: Statuses of servers that do not support HEAD; Wget repeats the request with GET for these.
_WITHOUT_HEAD = (405, 500, 501)


class LinkChecker:
    """Chooses the method of each request."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        #: URLs whose servers refused HEAD
        self._refused: set[str] = set()

    def method_of(self, entry: Entry) -> str:
        """Return GET for a body that may have links to check, and HEAD for other URLs."""
        if entry.url in self._refused or entry.kind == "sitemap":
            return "GET"
        if entry.kind == "page":
            return "GET" if entry.depth < self._scope.depth else "HEAD"
        return "GET" if urlsplit(entry.url).path.lower().endswith(".css") else "HEAD"

    def must_get(self, entry: Entry, response: Response) -> bool:
        """Return whether the server refused HEAD, so that the URL is requested again."""
        request = response.request
        if request is None or request.method != "HEAD" or response.status not in _WITHOUT_HEAD:
            return False
        self._refused.add(entry.url)
        return True
