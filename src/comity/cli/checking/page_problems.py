"""A page and the robots.txt of its site and its references -> the problems that `check --page` reports.

`page_problems` joins the checks. Each is a generator of `PageProblem`, and takes a `PageReading`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import Disallowed
from ...protocol.page.problems import PageProblem
from ..judging.asked_robots import AskedRobot
from ..judging.page_permissions import PagePermissions
from .page_reading import PageReading, problem, read_by, read_page, robot_label
from .page_references import closed_canonicals, closed_refreshes, closed_resources, misplaced_canonicals
from .page_resources import needs_of
from .referenced_sites import ReferencedSites

if TYPE_CHECKING:
    from ..site_client import SiteClient

#: The severities that change the exit status.
FINDINGS = ("error", "warning")

#: The code of the note about a page that the command may not fetch.
NOT_READ = "page-not-read"


def read_and_check(
    client: "SiteClient", judged: Sequence[PagePermissions], robots: Mapping[str, AskedRobot]
) -> tuple[PageReading | None, tuple[PageProblem, ...]]:
    """Return a page as the checks read it, if it can be read, and its problems."""
    try:
        reading = read_page(client, judged, robots)
    except Disallowed:
        message = (
            f"{client.name} may not fetch the page either, so its directives were not read: a `noindex` in "
            "it would have no effect"
        )
        return None, (problem(NOT_READ, "information", message, "", None),)
    return reading, page_problems(client, reading) if reading else ()


def page_problems(client: "SiteClient", reading: PageReading) -> tuple[PageProblem, ...]:
    """Return the problems of a page; further checks of a page or its site belong here."""
    pages = [one.page for one in reading.judged if one.page is not None] or [reading.page]
    needs, sites = needs_of(reading.page), ReferencedSites(client, reading.page.url)
    checks = (
        *(page.directives.problems for page in pages),
        _unread_noindex(reading),
        closed_canonicals(reading, needs.canonicals, sites),
        misplaced_canonicals(needs),
        closed_refreshes(reading, needs, sites),
        closed_resources(reading, needs, sites),
    )
    found = list(dict.fromkeys(one for check in checks for one in check))
    order = {severity: place for place, severity in enumerate((*FINDINGS, "information"))}
    return tuple(sorted(found, key=lambda one: order[one.severity]))


def _unread_noindex(reading: PageReading) -> Iterator[PageProblem]:
    """Yield the robots that cannot read a `noindex`, because they may not fetch the page."""
    page = reading.page
    for one in reading.judged:
        if one.verdict.allowed or one.unreachable or one.verdict_url != one.url or page.hops:
            continue
        names = reading.robots[one.agent].names
        index = read_by(page, names).directives.index
        if index.statements and not index.allowed:
            message = (
                f"{robot_label(one.agent)} may not fetch the page, so it cannot read `{index.rule}`, "
                f"and may keep the URL in its index: {one.verdict.explain()}"
            )
            yield problem("unread-noindex", "error", message, index.source or "", index.line)
