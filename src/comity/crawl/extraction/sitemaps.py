"""The sitemaps of the start hosts: those that their robots.txt files name, or else `/sitemap.xml`."""

from ...protocol.access import Access
from ..job.entry import Entry
from ..job.urls import host_of
from ..selection.scope import Scope
from .links import LinkSorter


class Sitemaps:
    """Queues the sitemaps of each start host once, with the first result there of this process.

    So they are queued in the same step, and a kill loses none of them.
    """

    def __init__(self, scope: Scope, *, queue: bool) -> None:
        """With `queue`, sitemaps are requested."""
        self._scope = scope
        self._queue = queue
        #: origins whose sitemaps are queued
        self._queued: set[str] = set()

    def add(self, found: LinkSorter, entry: Entry, access: Access | None) -> None:
        """Add the sitemaps of a start host to the links of a page; `access` has its robots.txt."""
        if (
            self._queue
            and access is not None
            and entry.origin not in self._queued
            and host_of(entry.origin) in self._scope.hosts
        ):
            self._queued.add(entry.origin)
            found.add_sitemaps(access.robots.sitemaps or (_guess(entry.origin),), access.url)

    def forget(self, origin: str) -> None:
        """Forget that the sitemaps of an origin are queued, because the result was not recorded."""
        self._queued.discard(origin)


def is_guess(entry: Entry, access: Access | None) -> bool:
    """Return whether a URL is that of a sitemap that no robots.txt names."""
    return (
        entry.kind == "sitemap"
        and entry.url == _guess(entry.origin)
        and access is not None
        and not access.robots.sitemaps
    )


def unread_reason(found: LinkSorter, entry: Entry, access: Access | None) -> str | None:
    """Return why a sitemap was not read to its end; a guessed URL may have something else."""
    if found.unread is None or (is_guess(entry, access) and not found.requests):
        return None
    return found.unread[:1000]


def _guess(origin: str) -> str:
    return f"{origin}/sitemap.xml"
