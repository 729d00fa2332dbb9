"""The broken links and redirect loops among pages, each link with the page that has it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..job.entry import FinishedURL

#: Maximum number of redirects between a link and a URL.
_MAX_HOPS = 20

#: Maximum length of the reason for a redirect loop in characters.
_MAX_REASON = 1000

#: The redirects of a job by URL. The target of a redirect, and the referrer of a page, may be None.
Redirects = Mapping[str | None, FinishedURL]


class BrokenLink(NamedTuple):
    """A URL that was not found or failed, with the first page that links to it, and the line there."""

    url: str
    reason: str
    source: str | None
    line: int | None


def broken_links(
    pages: Iterable[FinishedURL], redirects: Redirects, loops: Mapping[str, str]
) -> list[BrokenLink]:
    """Return the broken links among some pages: errors, failures, and each redirect loop as one.

    Redirects on the way count for the page that links to them. `loops` is as for `redirect_loops`.
    """
    found = []
    for page in pages:
        if page.url in loops or page.url not in redirects:
            linked = _linked(page, redirects)
            reason = loops.get(page.url) or page.result.reason or ""
            found.append(BrokenLink(page.url, reason, linked.referrer, linked.referrer_line))
    return found


def redirect_ends(redirects: Redirects) -> set[str]:
    """Return the URLs that start URLs redirect to."""
    ends = set()
    for page in redirects.values():
        url = page.result.target if page.start else None
        for _ in range(_MAX_HOPS):
            if url not in redirects:
                break
            url = redirects[url].result.target
        if url is not None:
            ends.add(url)
    return ends


def redirect_loops(redirects: Redirects) -> dict[str, str]:
    """Return the first URL of each redirect loop, with a reason that names the others."""
    loops: dict[str, str] = {}
    seen: set[str] = set()
    for page in redirects.values():
        chain: list[str] = []
        url = page.url
        while url in redirects and url not in seen:
            seen.add(url)
            chain.append(url)
            url = redirects[url].result.target or ""
        if url in chain:
            loop = " -> ".join([*chain[chain.index(url) :], url])
            loops[url] = f"redirect loop: {loop}"[:_MAX_REASON]
    return loops


def _linked(page: FinishedURL, redirects: Redirects) -> FinishedURL:
    """Return the URL that a page links to and that leads here."""
    for _ in range(_MAX_HOPS):
        if page.referrer not in redirects:
            break
        page = redirects[page.referrer]
    return page
