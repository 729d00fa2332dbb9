"""The redirects of a job: where they end, and the loops among them.

A redirect leads to another URL, which has an outcome of its own. In a loop no URL has a page, so the
first URL of the loop has failed, and the others lead to it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..job.entry import FinishedURL
from ..job.interface import JobReport

#: Maximum number of redirects that are followed.
_MAX_HOPS = 20

#: Maximum length of the reason for a redirect loop in characters.
_MAX_REASON = 1000


class Redirects:
    """The redirects among the results of a job.

    >>> from ..job.entry import Result
    >>> pages = {url: Result.of("redirect", target=target) for url, target in ("ab", "bc", "cb")}
    >>> redirects = Redirects(FinishedURL(url, 0, url == "a", 1.0, result) for url, result in pages.items())
    >>> redirects.loops, redirects.ends_of_starts()
    ({'b': 'redirect loop: b -> c -> b'}, {'b'})
    """

    def __init__(self, pages: Iterable[FinishedURL]) -> None:
        """Find the loops of redirects; pages with another outcome are left out."""
        self._pages = {page.url: page for page in pages if page.result.outcome == "redirect"}
        #: first URL of each loop -> a reason that names all its URLs
        self.loops: dict[str, str] = redirect_loops(
            {url: page.result.target for url, page in self._pages.items()}
        )

    def concluded(self, pages: Iterable[FinishedURL]) -> Iterator[FinishedURL]:
        """Yield results, with the outcome `failed` for the first URL of each loop."""
        for page in pages:
            reason = self.loops.get(page.url)
            if reason is not None:
                page = page._replace(result=page.result.replace(outcome="failed", reason=reason))
            yield page

    def concluded_counts(self, outcomes: Mapping[str, int]) -> dict[str, int]:
        """Return the numbers of URLs per outcome as `concluded` yields them."""
        loops = min(len(self.loops), outcomes.get("redirect", 0))  # during a refresh, some may be queued
        if not loops:
            return dict(outcomes)
        counts = Counter(outcomes)
        counts.update({"redirect": -loops, "failed": loops})
        return {outcome: count for outcome, count in counts.items() if count}

    def ends_of_starts(self) -> set[str]:
        """Return the URLs that start URLs redirect to at last."""
        return {self._end(url) for url, page in self._pages.items() if page.start}

    def _end(self, url: str) -> str:
        for _ in range(_MAX_HOPS):
            page = self._pages.get(url)
            if page is None or page.result.target is None or url in self.loops:
                break
            url = page.result.target
        return url

    def place_of_link(self, page: FinishedURL) -> tuple[str | None, int | None]:
        """Return the page that links to a URL, or to a URL that redirects there, and the line of the link."""
        referrer, line = page.referrer, page.referrer_line
        for _ in range(_MAX_HOPS):
            redirect = self._pages.get(referrer or "")
            if redirect is None:
                break
            referrer, line = redirect.referrer, redirect.referrer_line
        return referrer, line


def redirects_of(job: JobReport) -> Redirects:
    """Return the redirects of a job."""
    return Redirects(job.results("redirect"))


def concluded_results(job: JobReport) -> Iterator[FinishedURL]:
    """Yield the results of a job, with the loops of redirects as failures."""
    return redirects_of(job).concluded(job.results())


def redirect_loops(targets: Mapping[str, str | None]) -> dict[str, str]:
    """Return the first URL of each loop, with a reason that names all its URLs.

    `targets` are the URLs that redirects lead to, in the order of the queue.
    """
    loops: dict[str, str] = {}
    seen: set[str] = set()
    for url in targets:
        chain: list[str] = []
        while url in targets and url not in seen:
            seen.add(url)
            chain.append(url)
            url = targets[url] or ""
        if url in chain:
            loop = " -> ".join([*chain[chain.index(url) :], url])
            loops[url] = f"redirect loop: {loop}"[:_MAX_REASON]
    return loops
