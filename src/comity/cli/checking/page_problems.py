"""A page and the robots.txt of its site -> the problems that `check --page` reports.

`page_problems` joins the checks. Each is a generator of `PageProblem`, and takes a `PageReading`.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import Disallowed, InvalidURL
from ...protocol.dot_segments import without_dot_segments
from ...protocol.page.problems import PageProblem
from ...protocol.text import printable, shortened
from ..exit_status import UnreachableSite
from ..judging.asked_robots import AskedRobot
from ..judging.page_permissions import PagePermissions

if TYPE_CHECKING:
    from ...politeness.page import Page
    from ..site_client import SiteClient

#: The severities that change the exit status.
FINDINGS = ("error", "warning")


class PageReading(NamedTuple):
    """A page that was fetched, the permissions of each robot, and the robots by their labels.

    `page` may have been fetched although some of the robots may not fetch it.
    """

    page: "Page"
    judged: Sequence[PagePermissions]
    robots: Mapping[str, AskedRobot]


def read_page(
    client: "SiteClient", judged: Sequence[PagePermissions], robots: Mapping[str, AskedRobot]
) -> PageReading | None:
    """Return the page for the checks, or None if it has no content or may not be fetched.

    If no robot that was asked about may fetch the page, and the command itself may, it is fetched here.
    """
    fetched = [one.page for one in judged if one.page is not None]
    if not fetched:
        first = judged[0]
        if first.verdict.allowed or first.unreachable or first.verdict_url != first.url:
            return None
        try:
            page = client.page(without_dot_segments(first.url))[0]
        except (Disallowed, InvalidURL, UnreachableSite):
            return None
        fetched = [_read_by(page, ())]
    return PageReading(fetched[0], judged, robots) if fetched[0].has_content else None


def page_problems(reading: PageReading) -> tuple[PageProblem, ...]:
    """Return the problems of a page; further checks of a page or its site belong here."""
    pages = [one.page for one in reading.judged if one.page is not None] or [reading.page]
    checks = (*(page.directives.problems for page in pages), _unread_noindex(reading))
    found = list(dict.fromkeys(problem for check in checks for problem in check))
    order = {severity: place for place, severity in enumerate((*FINDINGS, "information"))}
    return tuple(sorted(found, key=lambda problem: order[problem.severity]))


def _unread_noindex(reading: PageReading) -> Iterator[PageProblem]:
    """Yield the robots that cannot read a `noindex`, because they may not fetch the page."""
    page = reading.page
    for one in reading.judged:
        if one.verdict.allowed or one.unreachable or one.verdict_url != one.url or page.hops:
            continue
        names = reading.robots[one.agent].names
        index = _read_by(page, names).directives.index
        if index.statements and not index.allowed:
            message = (
                f"{_label(one.agent)} may not fetch the page, so it cannot read `{index.rule}`, and may keep "
                f"the URL in its index: {one.verdict.explain()}"
            )
            yield _problem("unread-noindex", "error", message, index.source or "", index.line)


def _read_by(page: "Page", names: Sequence[str]) -> "Page":
    """Return a fetched page as a robot with these names reads it."""
    from ...politeness.page import judged

    return judged(page.url, page.hops, page.status, page.headers, page.body, agent=names, now=time.time())


def _label(agent: str) -> str:
    return "a robot that robots.txt does not name" if agent == "*" else shortened(agent)


def _problem(code: str, severity: str, message: str, source: str, line: int | None) -> PageProblem:
    place = source or ("" if line is None else f"line {line}")
    return PageProblem(code, severity, printable(message), place, line)
