"""The broken links of a job, each with the page that links to it."""

from collections.abc import Iterator
from typing import NamedTuple

from ..job.entry import FinishedURL
from ..job.interface import JobReport

#: Maximum number of redirects between a link and a URL.
_MAX_HOPS = 20


class BrokenLink(NamedTuple):
    """A URL that was not found or failed, with the first page that links to it, and the line there."""

    url: str
    reason: str
    source: str | None
    line: int | None


def broken_links(job: JobReport) -> Iterator[BrokenLink]:
    """Yield the broken links of a job. Redirects on the way count for the page that links to them."""
    redirects = {page.url: page for page in job.results() if page.result.outcome == "redirect"}
    for page in job.results():
        if page.result.outcome in ("http-error", "failed"):
            linked = _linked(page, redirects)
            yield BrokenLink(page.url, page.result.reason or "", linked.referrer, linked.referrer_line)


def _linked(page: FinishedURL, redirects: dict[str, FinishedURL]) -> FinishedURL:
    """Return the URL that a page links to and that leads here."""
    for _ in range(_MAX_HOPS):
        if page.referrer not in redirects:
            break
        page = redirects[page.referrer]
    return page
