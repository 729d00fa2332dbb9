"""The broken links of a job, each with the page that links to it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..job.entry import FinishedURL
from ..job.interface import JobReport

#: Maximum number of redirects between a link and a URL.
_MAX_HOPS = 20

#: Maximum length of the reason for a redirect loop in characters.
_MAX_REASON = 1000


class BrokenLink(NamedTuple):
    """A URL that was not found or failed, with the first page that links to it, and the line there."""

    url: str
    reason: str
    source: str | None
    line: int | None


def broken_links(job: JobReport) -> Iterator[BrokenLink]:
    """Yield the broken links of a job. Redirects on the way count for the page that links to them.

    A redirect loop is one broken link.
    """
    redirects = _redirects(job)
    loops = _loops(redirects)
    for page in job.results():
        if page.result.outcome in ("http-error", "failed") or page.url in loops:
            linked = _linked(page, redirects)
            reason = loops.get(page.url) or page.result.reason or ""
            yield BrokenLink(page.url, reason, linked.referrer, linked.referrer_line)


def redirect_loops(job: JobReport) -> dict[str, str]:
    """Return the first URL of each redirect loop, with a reason that names the others."""
    return _loops(_redirects(job))


def start_outcomes(job: JobReport) -> set[str]:
    """Return the outcomes of the start URLs, and of the URLs that they redirect to."""
    redirects = _redirects(job)
    ends: set[str | None] = set()
    for page in redirects.values():
        url = page.result.target if page.start else None
        for _ in range(_MAX_HOPS):
            if url not in redirects:
                break
            url = redirects[url].result.target
        ends.add(url)
    return {page.result.outcome for page in job.results() if page.start or page.url in ends}


def _redirects(job: JobReport) -> dict[str, FinishedURL]:
    return {page.url: page for page in job.results() if page.result.outcome == "redirect"}


def _loops(redirects: Mapping[str, FinishedURL]) -> dict[str, str]:
    loops: dict[str, str] = {}
    seen: set[str] = set()
    for start in redirects:
        chain: list[str] = []
        url = start
        while url in redirects and url not in seen:
            seen.add(url)
            chain.append(url)
            url = redirects[url].result.target or ""
        if url in chain:
            loop = " -> ".join([*chain[chain.index(url) :], url])
            loops[url] = f"redirect loop: {loop}"[:_MAX_REASON]
    return loops


def _linked(page: FinishedURL, redirects: dict[str, FinishedURL]) -> FinishedURL:
    """Return the URL that a page links to and that leads here."""
    for _ in range(_MAX_HOPS):
        if page.referrer not in redirects:
            break
        page = redirects[page.referrer]
    return page
