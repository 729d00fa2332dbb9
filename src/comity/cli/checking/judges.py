"""The verdicts of `comity check` about URLs, by a file or by the robots.txt of each URL's site."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...desk.llms_txt import SITES
from ...desk.robots_by_name import NamedRobot
from ...errors import InvalidURL, UnusableInput
from ...protocol.access.outcome import Outcome
from ...protocol.dot_segments import without_dot_segments
from ...protocol.origin import Origin
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.engine.dialect import Dialect, named
from ...protocol.robotstxt.engine.verdict import Reason, Verdict
from ...protocol.text import printable
from ...protocol.userinfo import without_password
from ..exit_status import AnswerCount
from ..inputs import UrlInput, display_name, read_robots, url_problem
from ..render.file_terms import NOTHING, Asks, asks_of
from ..render.findings import show_diagnostics
from ..render.url_answers import UrlAnswer

if TYPE_CHECKING:
    from ...desk.site_client import SiteClient


class Judge(NamedTuple):
    """The answers of one robots.txt, which `source` names.

    `check` returns the verdict for a URL and a robot's label. `asks` has what the file asks of each robot, by
    its label, until it is shown. `assumptions` has what is assumed about each robot.
    """

    source: str
    check: Callable[[str, str], Verdict]
    asks: dict[str, Asks]
    assumptions: dict[str, tuple[str, ...]]


def _robots(file: str, dialect: str | Dialect, *, quiet: bool) -> RobotsTxt:
    try:
        robots = parse(read_robots(file), dialect=named(dialect))
    except UnusableInput as error:
        hint = "; leave --robots out to read the robots.txt of each URL's site" if "://" in file else ""
        raise UnusableInput(f"{error}{hint}") from None
    if not quiet:
        show_diagnostics(display_name(file), robots)
    return robots


def _judge_of(source: str, file: RobotsTxt, robots: Mapping[str, NamedRobot], acap: bool) -> Judge:
    """Create the judge of one robots.txt for URLs of any site."""
    rules = {agent: robot.rules_for(file) for agent, robot in robots.items()}
    asks = {agent: asks_of(each) for agent, each in rules.items()}
    assumed = {agent: robot.assumptions_for(rules[agent]) for agent, robot in robots.items()}
    if not acap:
        return Judge(source, lambda url, agent: rules[agent].check(url), asks, assumed)
    from ...protocol.usage.acap_rules import AcapRules

    permissions = {agent: AcapRules(file, agent=robot.tokens) for agent, robot in robots.items()}

    def check(url: str, agent: str) -> Verdict:
        return permissions[agent].restricted(rules[agent].check(url), url)

    return Judge(source, check, asks, assumed)


def file_judge(
    file: str, dialect: str | Dialect, robots: Mapping[str, NamedRobot], acap: bool, *, quiet: bool
) -> Callable[[str], Judge]:
    """Return a function that finds the same judge for each URL: a file."""
    judge = _judge_of(display_name(file), _robots(file, dialect, quiet=quiet), robots, acap)
    return lambda _: judge


def site_judges(
    client: "SiteClient", robots: Mapping[str, NamedRobot], count: AnswerCount, *, quiet: bool
) -> Callable[[str], Judge]:
    """Return a function that finds the judge of a URL: its own site's robots.txt, which is fetched once.

    Without `quiet`, the reason is printed if a site is unreachable, for the first sites.
    """
    judges: dict[str, Judge] = {}

    def find(url: str) -> Judge:
        if url.startswith("/"):
            shown = without_password(url)
            raise InvalidURL(
                f"{shown!r}: a path without a site; write a whole URL, or name a file with --robots"
            )
        origin = str(Origin.of(url)) if "://" in url else url
        if origin not in judges:
            if len(judges) >= SITES:
                judges.clear()
            access = client.access(url)
            if access.outcome is Outcome.UNREACHABLE and not quiet:
                count.sites.add(f"{access.url}: {access.explain()}", "unreachable")
            if access.outcome is Outcome.RULES:
                judges[origin] = _judge_of(origin, access.robots, robots, client.acap)
            else:
                assumed = {agent: robot.assumptions_for(None) for agent, robot in robots.items()}
                judges[origin] = Judge(
                    origin, lambda url, agent: access.check(url, agent=robots[agent].tokens), {}, assumed
                )
        return judges[origin]

    return find


def answers(
    inputs: Iterable[UrlInput],
    robots: Mapping[str, NamedRobot],
    find_judge: Callable[[str], Judge],
    count: AnswerCount,
    assumed: dict[str, None],
    *,
    all_invalid: bool,
) -> Iterator[UrlAnswer]:
    """Yield the answer for each URL and robot, and count it.

    What is assumed about the robots is added to `assumed`. Without `all_invalid`, the invalid URLs that are
    not reported have no answer.
    """
    first = next(iter(robots))
    for given in inputs:
        shown = True
        problem, kind = url_problem(given.url), "not a URL"
        for agent, robot in robots.items():
            verdict, source, asks = None, "", NOTHING
            assumptions: tuple[str, ...] = ()
            if not problem:
                try:
                    url = without_dot_segments(given.url)
                    judge = find_judge(url)
                    verdict = judge.check(url, agent)
                    source, asks = judge.source, judge.asks.pop(agent, NOTHING)
                    assumptions = judge.assumptions[agent]
                except InvalidURL as invalid:
                    problem, kind = printable(str(invalid)), "invalid"
            if verdict is not None:
                count.add(verdict.allowed, unreachable=verdict.reason is Reason.UNREACHABLE)
            elif agent == first:
                shown = count.reject(f"{given.location}{problem}", kind) or all_invalid
            assumed.update(dict.fromkeys(assumptions))
            if shown:
                yield UrlAnswer(given, agent, robot.name, verdict, problem, source, asks, assumptions)
