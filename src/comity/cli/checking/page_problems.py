"""A page and the robots.txt of its site and its references -> the problems that `check --page` reports.

`page_problems` joins the checks. Each is a generator of `PageProblem`, and takes a `PageReading`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...desk.named_robots import NamedRobot
from ...desk.page_permissions import PagePermissions
from ...errors import Disallowed
from ...protocol.page.problems import PageProblem
from ...protocol.text import shortened
from ...protocol.userinfo import without_password
from ..agent_option import asked_robots
from .page_reading import PageReading, problem, read_by, read_page, robot_label
from .page_resources import needs_of
from .referenced_sites import ReferencedSites

if TYPE_CHECKING:
    from ...desk.site_client import SiteClient
    from .page_resources import Needs, Resource


#: Maximum number of closed resources of one page that are listed.
_LISTED = 20

#: The robot that renders pages as browsers do, so that it needs their style sheets and scripts.
_RENDERER = "Googlebot"


def closed_canonicals(
    reading: PageReading, canonicals: "Sequence[Resource]", sites: "ReferencedSites"
) -> Iterator[PageProblem]:
    """Yield the problems of canonical URLs: several, an invalid one, one that a robot may not fetch."""
    different = dict.fromkeys(one.url for one in canonicals)
    if len(different) > 1:
        message = f"the page has {len(different)} canonical URLs, so robots ignore them; leave one"
        yield problem("several-canonicals", "warning", message, "", canonicals[-1].line)
    for one in canonicals:
        if one.url is None:
            message = f"the canonical URL `{shortened(one.written)}` is not an http or https URL"
            yield problem("invalid-canonical", "error", message, "", one.line)
        elif one.url != reading.page.url:
            for judged in reading.judged:
                verdict = sites.check(one.url, reading.robots[judged.agent]) if judged.verdict else None
                if verdict is not None and not verdict:
                    subject = f"{robot_label(judged.agent)} may not fetch the canonical URL {_shown(one.url)}"
                    yield problem(
                        "closed-canonical", "error", f"{subject}: {verdict.explain()}", "", one.line
                    )


def misplaced_canonicals(needs: "Needs") -> Iterator[PageProblem]:
    """Yield the canonical URLs in the body. Nothing is concluded from them."""
    for one in needs.misplaced:
        message = (
            f"the canonical URL `{shortened(one.written)}` is in the body of the page, where search engines "
            "ignore it; move it to the head"
        )
        yield problem("canonical-in-body", "warning", message, "", one.line)


def closed_refreshes(reading: PageReading, needs: "Needs", sites: "ReferencedSites") -> Iterator[PageProblem]:
    """Yield the META refreshes to a URL that a robot may not fetch, although it may fetch the page."""
    for one in needs.refreshes:
        for judged in reading.judged:
            if one.url is None or not judged.verdict:
                continue
            verdict = sites.check(one.url, reading.robots[judged.agent])
            if verdict is not None and not verdict:
                message = (
                    f"{robot_label(judged.agent)} may not fetch {_shown(one.url)}, the target of the META "
                    f"refresh: {verdict.explain()}"
                )
                yield problem("closed-refresh", "error", message, "", one.line)


def closed_resources(reading: PageReading, needs: "Needs", sites: "ReferencedSites") -> Iterator[PageProblem]:
    """Yield the style sheets and scripts that Googlebot may not fetch, if it may fetch the page itself."""
    if not needs.resources:
        return
    renderer = asked_robots([_RENDERER], sites.client.policy)[_RENDERER]
    if not sites.check(reading.page.url, renderer):
        return
    closed, unknown = 0, needs.omitted
    for one in needs.resources:
        verdict = None if one.url is None else sites.check(one.url, renderer)
        if verdict is None:
            unknown += one.url is not None
        elif not verdict:
            closed += 1
            if closed <= _LISTED:
                message = (
                    f"{_RENDERER} may not fetch the {one.kind} {_shown(one.url or '')}: {verdict.explain()}"
                )
                yield problem("closed-resource", "error", message, "", one.line)
    if closed > _LISTED:
        message = f"{_RENDERER} may not fetch {closed - _LISTED:,} more style sheets and scripts"
        yield problem("more-closed-resources", "information", message, "", None)
    if unknown:
        message = (
            f"{unknown:,} style sheets and scripts were not checked: they are too many or on too many sites, "
            "or their robots.txt is unreachable"
        )
        yield problem("resources-not-checked", "information", message, "", None)


def _shown(url: str) -> str:
    return shortened(without_password(url))


#: The severities that change the exit status.
FINDINGS = ("error", "warning")

#: The code of the note about a page that the command may not fetch.
NOT_READ = "page-not-read"


def read_and_check(
    client: "SiteClient", judged: Sequence[PagePermissions], robots: Mapping[str, NamedRobot]
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
