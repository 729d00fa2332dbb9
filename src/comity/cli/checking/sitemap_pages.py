"""`comity check --sitemap`: every page of a sitemap, with a summary of the problems by kind.

The file of `--progress` has the pages that are finished, for a check that continues later.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

from ...desk.llms_txt import LlmsTxtFiles
from ...desk.page_checks import FINDINGS, NOT_READ, check_page, problem
from ...desk.page_resources import needs_of
from ...desk.permissions import PagePermissions
from ...desk.robots_by_name import NamedRobot
from ...errors import InvalidURL, SiteUnavailable, UnusableInput
from ...protocol.page.problems import PageProblem
from ...protocol.text import counted, printable, shortened
from ...protocol.userinfo import without_password
from ..exit_status import AnswerCount
from ..inputs import display_name, unwritable, url_problem
from ..options import SitemapOptions
from ..progress import page_progress
from ..render.page_answers import show_problems
from ..render.table import show_table
from ..terminal import echo, echo_json
from ..urls.lists import listed_urls

if TYPE_CHECKING:
    from ...desk.site_client import SiteClient


class PageResult(NamedTuple):
    """The result for one page: whether all robots may fetch it, its problems, and why it was not fetched."""

    url: str
    allowed: bool
    problems: tuple[tuple[str, str], ...]
    failure: str

    @property
    def has_findings(self) -> bool:
        """Whether the page has an error or a warning."""
        return any(severity in FINDINGS for severity, _ in self.problems)


class FinishedPages:
    """The finished pages: those of an earlier run, and a stream for new ones, if there is a file."""

    def __init__(self, finished: dict[str, PageResult], stream: IO[str] | None) -> None:
        self._finished = finished
        self._stream = stream

    def find(self, url: str) -> PageResult | None:
        """Return the result of an earlier run, or None."""
        return self._finished.get(without_password(url))

    def write(self, result: PageResult) -> None:
        """Store a finished page at once. A page that was not reached is checked again next time."""
        if self._stream is not None and not result.failure:
            stored = result._replace(url=without_password(result.url))
            self._stream.write(json.dumps(stored._asdict()) + "\n")
            self._stream.flush()


def finished_pages(
    file: str | None, sitemaps: tuple[str, ...], robots: Mapping[str, NamedRobot]
) -> AbstractContextManager[FinishedPages]:
    """Open the file of finished pages. Raises `UnusableInput` if it belongs to another check."""
    if file is None:
        return nullcontext(FinishedPages({}, None))
    head = {
        "sitemaps": [without_password(sitemap) for sitemap in sitemaps],
        "robots": [
            [agent, *robot.names, robot.ignores_star, str(robot.dialect)] for agent, robot in robots.items()
        ],
    }
    return _opened(file, json.dumps(head))


@contextmanager
def _opened(file: str, head: str) -> Iterator[FinishedPages]:
    finished: dict[str, PageResult] = {}
    try:
        if os.path.exists(file) and os.path.getsize(file):
            with open(file, encoding="utf-8") as stream:
                if stream.readline().rstrip("\n") != head:
                    raise UnusableInput(
                        f"{display_name(file)}: not the progress of this check; "
                        "name another file with --progress"
                    )
                for line in stream:
                    if (result := _result_in(line)) is not None:
                        finished[result.url] = result
        stream = open(file, "a", encoding="utf-8")  # noqa: SIM115  # closed below
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, error) from None
    with stream:
        # An interruption may have cut the last line short, so new lines begin after an empty one.
        stream.write("\n" if stream.tell() else head + "\n")
        yield FinishedPages(finished, stream)


def _unusable(file: str, error: OSError | UnicodeDecodeError) -> UnusableInput:
    if isinstance(error, OSError):
        return unwritable(file, error)
    return UnusableInput(
        f"{display_name(file)}: not a file of finished pages; name another one with --progress"
    )


def _result_in(line: str) -> PageResult | None:
    """Return the page of a line; None for a line that an interruption cut short."""
    try:
        record = json.loads(line)
        problems = tuple((str(severity), str(code)) for severity, code in record["problems"])
        return PageResult(str(record["url"]), bool(record["allowed"]), problems, "")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def listing_problems(judged: Sequence[PagePermissions], *, is_read: bool) -> Iterator[PageProblem]:
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
    if not is_read:
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
    robots: Mapping[str, NamedRobot],
    count: AnswerCount,
    assumed: dict[str, None],
    *,
    as_json: bool,
) -> None:
    """Check the pages of some sitemaps one after the other, and print their problems and a summary.

    What is assumed about the robots is added to `assumed`.
    Raises `UnusableInput` for a sitemap or a progress file that cannot be used, and `SiteUnavailable`.
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
        for line in llms_txt.all_lines(robots):
            echo(line)


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
    robots: Mapping[str, NamedRobot],
    assumed: dict[str, None],
    llms_txt: LlmsTxtFiles,
) -> "tuple[PageResult, tuple[PageProblem, ...]]":
    """Fetch and check a page."""
    try:
        if invalid := url_problem(url) or ("" if "://" in url else "not a whole URL"):
            raise InvalidURL(invalid)
        judged, read, problems = check_page(client, url, robots)
        assumed |= {line: None for permissions in judged for line in permissions.assumptions}
        llms_txt.fetch(judged)
    except InvalidURL as error:
        invalid_url = problem("invalid-url-in-sitemap", "error", str(error), "", None)
        return PageResult(url, False, ((invalid_url.severity, invalid_url.code),), ""), (invalid_url,)
    except SiteUnavailable as error:
        return PageResult(url, False, (), printable(str(error))), ()
    if unreachable := [one for one in judged if one.unreachable]:
        return PageResult(url, False, (), unreachable[0].verdict.explain()), ()
    # That a closed page was not read follows from its finding as a closed page in a sitemap.
    problems = (
        *listing_problems(judged, is_read=read is not None),
        *(one for one in problems if one.code != NOT_READ),
    )
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
