"""`comity check --sitemap`: the problems of every page of a sitemap, and a summary of them by kind."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import islice
from typing import TYPE_CHECKING

from ...desk import (
    FINDINGS,
    MOST_FAILURES,
    LlmsTxtFiles,
    NamedRobot,
    SitemapPage,
    SitemapSummary,
    check_sitemap,
    finished_pages,
)
from ...errors import UnusableInput
from ...protocol import counted, printable, without_password
from ..exit_status import AnswerCount
from ..inputs import display_name, listed_urls
from ..options import SitemapOptions
from ..progress import page_progress
from ..render.page_answers import show_problems
from ..render.table import show_table
from ..terminal import echo, echo_json

if TYPE_CHECKING:
    from ...desk import SiteClient

#: Maximum number of pages that are checked, without --limit.
_LIMIT = 1000

#: Maximum number of pages whose problems are printed; the summary counts those of all pages.
_SHOWN = 100


def check_sitemaps(
    sitemap: SitemapOptions,
    client: "SiteClient",
    robots: Mapping[str, NamedRobot],
    count: AnswerCount,
    assumed: dict[str, None],
    *,
    as_json: bool,
) -> None:
    """Check the pages of some sitemaps, and print their problems and a summary.

    What is assumed about the robots is added to `assumed`.
    Raises `UnusableInput` for a sitemap or a progress file that cannot be used, and `SiteUnavailable`.
    """
    limit = _LIMIT if sitemap.limit is None else sitemap.limit
    summary, llms_txt = SitemapSummary(), LlmsTxtFiles(client)
    with ExitStack() as stack:
        listed = listed_urls(sitemap.files, download=client.download)
        with closing(listed):  # a sitemap with more pages is still being received, and keeps its site busy
            urls = list(islice(_different(one.url for one in listed), limit + 1))
        if not urls:
            raise UnusableInput(f"{', '.join(map(display_name, sitemap.files))}: no page found")
        if more := len(urls) > limit:
            del urls[limit:]
        finished = stack.enter_context(finished_pages(sitemap.progress, sitemap.files, robots))
        advance = stack.enter_context(page_progress(len(urls)))
        shown = 0
        for page in check_sitemap(client, urls, robots, finished=finished):
            llms_txt.fetch(page.permissions)
            assumed |= {line: None for one in page.permissions for line in one.assumptions}
            summary.add(page)
            count.add(page.allowed and not page.failure, unreachable=bool(page.failure))
            count.problems += page.has_findings
            advance(summary.pages, summary.with_findings)
            if page.permissions or page.problems or page.failure:
                shown += _show(page, as_json=as_json, listed=shown < _SHOWN)
        if summary.unreachable_in_row == MOST_FAILURES:
            echo(f"Error: stopped, because {MOST_FAILURES} pages in a row are unreachable", err=True)
    files = llms_txt.records(robots) if as_json else []
    _show_summary(sitemap.files, summary, files, as_json=as_json, limit=limit if more else None)
    if not as_json:
        for line in llms_txt.all_lines(robots):
            echo(line)


def _different(urls: Iterable[str]) -> Iterator[str]:
    """Yield each URL once."""
    seen: set[str] = set()
    for url in urls:
        if url not in seen:
            seen.add(url)
            yield url


def _show(page: SitemapPage, *, as_json: bool, listed: bool) -> bool:
    """Print the problems of a page. Return whether something was printed for people."""
    shown = without_password(page.url)
    if as_json:
        record = {"url": printable(shown), "allowed": None if page.failure else page.allowed}
        failed = {"error": page.failure} if page.failure else {}
        echo_json({**record, "problems": [one.record() for one in page.problems], **failed})
        return False
    if not listed or not (page.has_findings or page.failure):
        return False
    if page.failure:
        echo(f"Error: {shown}: {page.failure}", err=True)
    else:
        show_problems(shown, [one for one in page.problems if one.severity in FINDINGS])
    return True


def _show_summary(
    files: tuple[str, ...],
    summary: SitemapSummary,
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
