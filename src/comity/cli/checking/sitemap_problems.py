"""A page that a sitemap lists -> the problems of its entry: a closed or absent page, or another URL."""

from collections.abc import Iterator, Sequence

from ...protocol.page.problems import PageProblem
from ...protocol.text import shortened
from ...protocol.userinfo import without_password
from ..judging.page_permissions import PagePermissions
from .page_reading import PageReading, problem
from .page_resources import needs_of


def listing_problems(judged: Sequence[PagePermissions], reading: PageReading | None) -> Iterator[PageProblem]:
    """Yield the problems of a page as an entry of a sitemap (sitemaps.org: canonical, indexable URLs)."""
    for one in judged:
        if not one.verdict.allowed:
            who = "robots that robots.txt does not name" if one.agent == "*" else shortened(one.agent)
            yield problem(
                "closed-in-sitemap", "error", f"{who} may not fetch it: {one.verdict.explain()}", "", None
            )
    page = next((one.page for one in judged if one.page is not None), None)
    if page is None:
        return
    if not page.has_content:
        yield problem("not-found-in-sitemap", "error", f"its server answers {page.status}", "", None)
    if page.hops:
        yield problem(
            "redirect-in-sitemap", "warning", f"it leads to {_shown(page.url)}; list that URL", "", None
        )
    if reading is None:
        return
    for one in judged:
        if one.page is not None and not one.page.directives.index:
            index = one.page.directives.index
            yield problem(
                "noindex-in-sitemap",
                "warning",
                f"it may not be indexed: `{index.rule}`",
                index.source or "",
                index.line,
            )
            break
    canonicals = [one.url for one in needs_of(page).canonicals if one.url]
    if canonicals and page.url not in canonicals:
        message = f"its canonical URL is {_shown(canonicals[0])}; list that URL"
        yield problem("other-canonical-in-sitemap", "warning", message, "", None)


def _shown(url: str) -> str:
    return shortened(without_password(url))
