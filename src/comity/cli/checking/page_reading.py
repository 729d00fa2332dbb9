"""A page that was fetched for several robots, as the checks of pages read it, and how they word problems."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...desk.named_robots import NamedRobot
from ...desk.page_permissions import PagePermissions
from ...errors import InvalidURL, SiteUnavailable
from ...protocol.dot_segments import without_dot_segments
from ...protocol.page.problems import PageProblem
from ...protocol.text import printable, shortened

if TYPE_CHECKING:
    from ...desk.site_client import SiteClient
    from ...politeness.page import Page


class PageReading(NamedTuple):
    """A page that was fetched, the permissions of each robot, and the robots by their labels.

    `page` may have been fetched although some of the robots may not fetch it.
    """

    page: "Page"
    judged: Sequence[PagePermissions]
    robots: Mapping[str, NamedRobot]


def read_page(
    client: "SiteClient", judged: Sequence[PagePermissions], robots: Mapping[str, NamedRobot]
) -> PageReading | None:
    """Return the page for the checks, or None if it has no content or cannot be fetched.

    If no robot that was asked about may fetch the page, and the command itself may, it is fetched here.
    Raises `Disallowed` if the command may not fetch it either.
    """
    fetched = [one.page for one in judged if one.page is not None]
    if not fetched:
        first = judged[0]
        if first.verdict.allowed or first.unreachable or first.verdict_url != first.url:
            return None
        try:
            page = client.page(without_dot_segments(first.url))[0]
        except (InvalidURL, SiteUnavailable):
            return None
        fetched = [read_by(page, ())]
    return PageReading(fetched[0], judged, robots) if fetched[0].has_content else None


def read_by(page: "Page", names: Sequence[str]) -> "Page":
    """Return a fetched page as a robot with these names reads it."""
    from ...politeness.page import page_of_response

    return page_of_response(
        page.url, page.hops, page.status, page.headers, page.body, agent=names, now=time.time()
    )


def robot_label(agent: str) -> str:
    """Return the subject of a sentence about a robot."""
    return "a robot that robots.txt does not name" if agent == "*" else shortened(agent)


def problem(code: str, severity: str, message: str, source: str, line: int | None) -> PageProblem:
    """Create a problem. Its place is the source, or else the line."""
    place = source or ("" if line is None else f"line {line}")
    return PageProblem(code, severity, printable(message), place, line)
