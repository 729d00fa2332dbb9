"""The answers of `comity check` about URLs, by a file or by the robots.txt of each URL's site."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...desk import SITES, FileVerdicts, ListedUrl, NamedRobot, SiteVerdicts, UrlVerdict
from ...errors import InvalidURL, UnusableInput
from ...protocol import dialect_named, printable, without_password
from ...protocol.access import Access
from ...protocol.robotstxt import Dialect, Reason, parse
from ..exit_status import AnswerCount
from ..inputs import display_name, read_robots, url_problem
from ..render.file_terms import NOTHING, asks_of
from ..render.findings import show_diagnostics
from ..render.url_answers import UrlAnswer

if TYPE_CHECKING:
    from ...desk import SiteClient


def file_verdicts(
    file: str, dialect: str | Dialect, robots: Mapping[str, NamedRobot], acap: bool, *, quiet: bool
) -> FileVerdicts:
    """Return the verdicts by a file. Without `quiet`, its errors and warnings are printed."""
    try:
        parsed = parse(read_robots(file), dialect=dialect_named(dialect))
    except UnusableInput as error:
        hint = "; leave --robots out to read the robots.txt of each URL's site" if "://" in file else ""
        raise UnusableInput(f"{error}{hint}") from None
    if not quiet:
        show_diagnostics(display_name(file), parsed)
    return FileVerdicts(parsed, robots, source=display_name(file), acap=acap)


def site_verdicts(
    client: "SiteClient", robots: Mapping[str, NamedRobot], count: AnswerCount, *, quiet: bool
) -> SiteVerdicts:
    """Return the verdicts by each URL's site. Without `quiet`, the first unreachable sites are reported."""

    def report(access: Access) -> None:
        if not quiet:
            count.sites.add(f"{access.url}: {access.explain()}", "unreachable")

    return SiteVerdicts(client, robots, unreachable=report)


def answers(
    inputs: Iterable[ListedUrl],
    robots: Mapping[str, NamedRobot],
    verdicts: FileVerdicts | SiteVerdicts,
    count: AnswerCount,
    assumed: dict[str, None],
    *,
    all_invalid: bool,
) -> Iterator[UrlAnswer]:
    """Yield the answer for each URL and robot, and count it.

    What is assumed about the robots is added to `assumed`. Without `all_invalid`, the invalid URLs that are
    not reported have no answer.
    """
    asked: set[tuple[str, str]] = set()
    for given in inputs:
        found = _verdicts(given.url, verdicts)
        if not isinstance(found, tuple):
            problem, kind = str(found), "invalid" if isinstance(found, InvalidURL) else "not a URL"
            if count.reject(f"{given.location}{problem}", kind) or all_invalid:
                for agent, robot in robots.items():
                    yield UrlAnswer(given, agent, robot.name, None, problem, "", NOTHING)
            continue
        for one in found:
            count.add(one.verdict.allowed, unreachable=one.verdict.reason is Reason.UNREACHABLE)
            assumed.update(dict.fromkeys(one.assumptions))
            asks, key = NOTHING, (one.source, one.agent)
            if one.rules is not None and key not in asked:
                if len(asked) >= SITES * len(robots):
                    asked.clear()
                asked.add(key)
                asks = asks_of(one.rules)
            name = robots[one.agent].name
            yield UrlAnswer(given, one.agent, name, one.verdict, "", one.source, asks, one.assumptions)


def _verdicts(url: str, verdicts: FileVerdicts | SiteVerdicts) -> "tuple[UrlVerdict, ...] | str | InvalidURL":
    """Return the verdicts about a URL, or the problem with it."""
    if problem := url_problem(url):
        return problem
    if url.startswith("/") and isinstance(verdicts, SiteVerdicts):
        shown = printable(repr(without_password(url)))
        return InvalidURL(f"{shown}: a path without a site; write a whole URL, or name a file with --robots")
    try:
        return verdicts.of(url)
    except InvalidURL as invalid:
        return InvalidURL(printable(str(invalid)))
