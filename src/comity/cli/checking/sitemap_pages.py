"""`comity check --sitemap`: every page of a sitemap, with a summary of the problems by kind."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import islice
from typing import TYPE_CHECKING

from ...errors import InvalidURL
from ...protocol.text import counted, printable
from ...protocol.userinfo import without_password
from ..exit_status import AnswerCount, UnreachableSite, UnusableInput
from ..inputs import display_name, url_problem
from ..judging.asked_robots import AskedRobot
from ..judging.page_permissions import PagePermissions, page_permissions
from ..options import SitemapOptions
from ..render.page import show_problems
from ..render.progress import page_progress
from ..render.table import show_table
from ..terminal import echo, echo_json
from ..urls.lists import listed_urls
from .finished_pages import PageResult, finished_pages
from .llms_txt import LlmsTxtFiles
from .page_problems import FINDINGS, NOT_READ, read_and_check
from .page_reading import problem
from .sitemap_problems import listing_problems

if TYPE_CHECKING:
    from ...protocol.page.problems import PageProblem
    from ..site_client import SiteClient

#: Maximum number of pages that are checked, without --limit.
_LIMIT = 1000

#: Maximum number of pages whose problems are printed; the summary counts those of all pages.
_SHOWN = 100

#: Number of unreachable pages in a row after which the check stops.
_FAILURES = 10


class _Summary:
    """The counts of all pages: of those with each problem, and of the others."""

    def __init__(self) -> None:
        self.pages = self.with_findings = self.unreachable = 0
        self._first: dict[tuple[str, str], str] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, result: PageResult, count: AnswerCount) -> None:
        """Count a page."""
        self.pages += 1
        self.with_findings += result.has_findings
        self.unreachable += bool(result.failure)
        count.add(result.allowed and not result.failure, unreachable=bool(result.failure))
        count.problems += result.has_findings
        for kind in dict.fromkeys(result.problems):
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._first.setdefault(kind, result.url)

    def rows(self) -> list[tuple[int, str, str, str]]:
        """Return the count, severity, code and first page of each problem, the most frequent first."""
        rows = [(many, *kind, self._first[kind]) for kind, many in self._counts.items()]
        return sorted(rows, key=lambda row: (-row[0], row[2]))


def check_sitemaps(
    sitemap: SitemapOptions,
    client: "SiteClient",
    robots: Mapping[str, AskedRobot],
    count: AnswerCount,
    assumed: dict[str, None],
    *,
    as_json: bool,
) -> None:
    """Check the pages of some sitemaps one after the other, and print their problems and a summary.

    What is assumed about the robots is added to `assumed`.
    Raises `UnusableInput` for a sitemap or a progress file that cannot be used, and `UnreachableSite`.
    """
    limit = _LIMIT if sitemap.limit is None else sitemap.limit
    summary, llms_txt = _Summary(), LlmsTxtFiles(client)
    with ExitStack() as stack:
        listed = listed_urls(sitemap.files, download=client.download)
        with closing(listed):  # a sitemap with more pages is still being received, and keeps its site busy
            pages = list(islice(_different(one.url for one in listed), limit + 1))
        if not pages:
            raise UnusableInput(f"{', '.join(map(display_name, sitemap.files))}: no page found")
        if more := len(pages) > limit:
            del pages[limit:]
        store = stack.enter_context(finished_pages(sitemap.progress, sitemap.files, robots))
        advance = stack.enter_context(page_progress(len(pages)))
        failures = shown = 0
        for url in pages:
            if (finished := store.find(url)) is not None:
                summary.add(finished, count)
                advance(summary.pages, summary.with_findings)
                continue
            result, problems = _checked(url, client, robots, assumed, llms_txt)
            store.write(result)
            summary.add(result, count)
            advance(summary.pages, summary.with_findings)
            shown += _show(result, problems, as_json=as_json, listed=shown < _SHOWN)
            failures = failures + 1 if result.failure else 0
            if failures == _FAILURES:
                echo(f"Error: stopped, because {failures} pages in a row are unreachable", err=True)
                break
    files = llms_txt.records(robots) if as_json else []
    _show_summary(sitemap.files, summary, files, as_json=as_json, limit=limit if more else None)
    if not as_json:
        llms_txt.show_all(robots)


def _different(urls: Iterable[str]) -> Iterator[str]:
    """Yield each URL once."""
    seen: set[str] = set()
    for url in urls:
        if url not in seen:
            seen.add(url)
            yield url


def _checked(
    url: str,
    client: "SiteClient",
    robots: Mapping[str, AskedRobot],
    assumed: dict[str, None],
    llms_txt: LlmsTxtFiles,
) -> "tuple[PageResult, tuple[PageProblem, ...]]":
    """Fetch and check a page."""
    try:
        if invalid := url_problem(url) or ("" if "://" in url else "not a whole URL"):
            raise InvalidURL(invalid)
        judged: list[PagePermissions] = page_permissions(client, url, robots)
        assumed |= {line: None for permissions in judged for line in permissions.assumptions}
        llms_txt.fetch(judged)
        reading, problems = read_and_check(client, judged, robots)
    except InvalidURL as error:
        invalid_url = problem("invalid-url-in-sitemap", "error", str(error), "", None)
        return PageResult(url, False, ((invalid_url.severity, invalid_url.code),), ""), (invalid_url,)
    except UnreachableSite as error:
        return PageResult(url, False, (), printable(error.message)), ()
    if unreachable := [one for one in judged if one.unreachable]:
        return PageResult(url, False, (), unreachable[0].verdict.explain()), ()
    # That a closed page was not read follows from its finding as a closed page in a sitemap.
    problems = (*listing_problems(judged, reading), *(one for one in problems if one.code != NOT_READ))
    found = tuple((one.severity, one.code) for one in problems)
    return PageResult(url, all(one.verdict.allowed for one in judged), found, ""), problems


def _show(result: PageResult, problems: "tuple[PageProblem, ...]", *, as_json: bool, listed: bool) -> bool:
    """Print the problems of a page. Return whether something was printed for people."""
    shown = without_password(result.url)
    if as_json:
        record = {"url": printable(shown), "allowed": None if result.failure else result.allowed}
        failed = {"error": result.failure} if result.failure else {}
        echo_json({**record, "problems": [one.record() for one in problems], **failed})
        return False
    if not listed or not (result.has_findings or result.failure):
        return False
    if result.failure:
        echo(f"Error: {shown}: {result.failure}", err=True)
    else:
        show_problems(shown, [one for one in problems if one.severity in FINDINGS])
    return True


def _show_summary(
    files: tuple[str, ...],
    summary: _Summary,
    llms_txt: list[dict[str, object]],
    *,
    as_json: bool,
    limit: int | None,
) -> None:
    """Print the counts of all pages; `limit` is the number of pages if there were more."""
    rows = summary.rows()
    if as_json:
        problems = [dict(zip(("pages", "severity", "code", "first"), row, strict=True)) for row in rows]
        echo_json(
            {
                "sitemaps": [printable(without_password(file)) for file in files],
                "pages": summary.pages,
                "pages_with_findings": summary.with_findings,
                "unreachable": summary.unreachable,
                "limit_reached": limit is not None,
                "problems": problems,
                "llms_txt": llms_txt,
            }
        )
        return
    if rows:
        show_table(
            ["pages", "", "problem", "first page"],
            [
                [(f"{many:,}", ""), (severity, ""), (code, ""), (without_password(first), "")]
                for many, severity, code, first in rows
            ],
        )
    counts = [f"{counted(summary.pages, 'page')} checked"]
    counts += [f"{summary.with_findings:,} with errors or warnings"]
    counts += [f"{summary.unreachable:,} unreachable"] if summary.unreachable else []
    echo(", ".join(counts))
    if limit is not None:
        pages = counted(limit, "page was", "pages were")
        echo(f"Note: only the first {pages} checked; --limit sets the number", err=True)
