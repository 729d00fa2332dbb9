"""`comity check`: which URLs robots may fetch, and which line of robots.txt says so."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import InvalidURL
from ...protocol.access.outcome import Outcome
from ...protocol.access.policy import access_policy, dialect_for
from ...protocol.dot_segments import without_dot_segments
from ...protocol.origin import Origin
from ...protocol.robotstxt.dialect import Dialect, named
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.selection import names_of
from ...protocol.robotstxt.verdict import Reason, Verdict
from ...protocol.text import printable
from ...protocol.userinfo import without_password
from .. import options
from ..exit_status import AnswerCount, UnreachableSite, UnusableInput
from ..inputs import UrlInput, display_name, read_file, url_arguments, url_problem, urls_in
from ..render.asks import NOTHING, Asks, asks_of, show_asks
from ..render.diagnostics import show_diagnostics
from ..render.progress import waiting
from ..render.verdict import UrlAnswer, json_text, show_answers
from ..terminal import echo, echo_json

if TYPE_CHECKING:
    from ..credentials import Credentials
    from ..page_permissions import PagePermissions
    from ..site_client import SiteClient

#: Maximum number of sites whose rules are kept parsed.
_SITES = 1000


class Judge(NamedTuple):
    """The answers of one robots.txt, which `source` names.

    `check` returns the verdict for a URL and a robot's label. `asks` has what the file asks of each robot, by
    its label, until it is shown.
    """

    source: str
    check: Callable[[str, str], Verdict]
    asks: dict[str, Asks]


@click.command("check")
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--robots",
    "robots_files",
    multiple=True,
    metavar="FILE",
    shell_complete=options.complete_files,
    help="The robots.txt to read; - is standard input. Default: the robots.txt of each URL's site.",
)
@options.agent_option("Default: *, any robot that the file does not name.")
@options.dialect_option(options.POLICY_DIALECT)
@options.agent_match_option()
@options.acap_option
@options.policy_option
@options.sender_options("--page needs it once; it is stored.")
@options.login_options
@options.page_option
@options.respect_option("Exit with status 1 if the site disallows it. Needs --page.")
@click.option("--regions", is_flag=True,
              help="Show the regions of the page that are closed to indexes, snippets or anchors, with their "
                   "lines. Needs --page.")  # fmt: skip
@options.public_only_option
@options.urls_option("")
@click.option("--explain", is_flag=True, help="Explain each answer in a sentence.")
@options.json_option("One object per line.")
def command(
    urls: Sequence[str],
    robots_files: Sequence[str],
    agents: Sequence[str],
    dialect: str | None,
    agent_match: str | None,
    acap: bool,
    policy: str,
    sender: options.Sender,
    login: options.LoginOptions,
    pages: bool,
    respect: Sequence[str],
    regions: bool,
    public_only: bool,
    urls_files: Sequence[str],
    explain: bool,
    as_json: bool,
) -> None:
    """Show which URLs robots may fetch, and which line decides.

    Only the robots.txt of each URL's site is fetched. It is cached in the user's cache directory, or in the
    file that COMITY_STORE names, until it expires. Its delays and other wishes for the robots are listed.

    With --robots, FILE is read instead, and only the path and query of a URL count. A URL may then be a path
    that begins with /. Errors and warnings about FILE go to standard error.

    With --page, each page is fetched too, which needs a contact. The answers show for each --agent which
    uses are allowed, and why.

    A URL of - reads URLs from standard input. Blank lines and comments with # are skipped.

    Exit status: 0 if every URL is allowed, 1 if one is disallowed, 2 if a file or a URL is not valid, 3 if
    the robots.txt of a site is unreachable.
    """
    if "-" in urls:
        urls, urls_files = [url for url in urls if url != "-"], [*urls_files, "-"]
    _check_usage(urls, robots_files, urls_files, pages, respect, regions)
    if public_only and robots_files:
        raise click.UsageError("--public-only is for the sites of the URLs; leave out --robots")
    names = {agent: names_of(options.agent_names(agent)) for agent in agents or ("*",)}
    reading = dialect_for(access_policy(policy), dialect, agent_match)
    count = AnswerCount()
    inputs: Iterable[UrlInput] = chain(url_arguments(urls), *map(urls_in, urls_files))
    with ExitStack() as stack:
        if robots_files:
            find_judge = _one_judge(robots_files[0], reading, names, acap, quiet=as_json)
        else:
            from ..credentials import Credentials

            credentials = Credentials(login, urls, more=bool(urls_files))
            inputs = credentials.noticed(inputs)
            client = _client(
                sender, policy, credentials, reading, acap=acap, pages=pages, public_only=public_only
            )
            stack.enter_context(client)
            find_judge = _site_judges(client, names, quiet=explain or as_json)
        if pages:
            _show_pages(inputs, client, names, count, _PageView(respect, regions, explain, as_json))
        else:
            answers = _answers(inputs, list(names), find_judge, count, all_invalid=as_json)
            show_answers(answers, explain=explain, as_json=as_json)
        count.report(with_summary=not as_json)
    if not count.total:
        raise UnusableInput(f"{' and '.join(map(display_name, urls_files))}: no URL found")
    sys.exit(count.status)


def _check_usage(
    urls: Sequence[str],
    robots_files: Sequence[str],
    urls_files: Sequence[str],
    pages: bool,
    respect: Sequence[str],
    regions: bool,
) -> None:
    """Raise `click.UsageError` for options that contradict or need each other."""
    if len(robots_files) > 1:
        raise click.UsageError(f"--robots: {len(robots_files)} files given; name one")
    if not urls and not urls_files:
        raise click.UsageError("no URL to check; name one, or a file of URLs with --urls")
    if [*robots_files, *urls_files].count("-") > 1:
        raise click.UsageError("-: standard input can be read once; name a file for --robots or for the URLs")
    if pages and robots_files:
        raise click.UsageError("--page reads the site's own robots.txt; leave out --robots")
    if regions and not pages:
        raise click.UsageError("--regions needs the page; add --page")
    options.check_uses(respect, pages)


def _client(
    sender: options.Sender,
    policy: str,
    credentials: "Credentials",
    reading: str | Dialect,
    *,
    acap: bool,
    pages: bool,
    public_only: bool,
) -> "SiteClient":
    """Create the HTTP client. Pages need a contact; answers to another User-Agent header are not cached."""
    from ..contact import identity_of
    from ..site_client import SiteClient  # loads the HTTP client

    identity = identity_of(*sender, needs_contact=pages)
    return SiteClient(
        identity,
        policy,
        credentials,
        reading,
        acap=acap,
        public_only=public_only,
        cached=not (sender.user_agent or public_only),
    )


def _robots(file: str, dialect: str | Dialect, *, quiet: bool) -> RobotsTxt:
    try:
        robots = parse(read_file(file), dialect=named(dialect))
    except UnusableInput as error:
        hint = "; leave --robots out to read the robots.txt of each URL's site" if "://" in file else ""
        raise UnusableInput(f"{error.message}{hint}") from None
    if not quiet:
        show_diagnostics(display_name(file), robots)
    return robots


def _file_judge(source: str, robots: RobotsTxt, names: Mapping[str, tuple[str, ...]], acap: bool) -> Judge:
    """Create the judge of one robots.txt for URLs of any site."""
    rules = {agent: robots.rules_for(name) for agent, name in names.items()}
    asks = {agent: asks_of(each) for agent, each in rules.items()}
    if not acap:
        return Judge(source, lambda url, agent: rules[agent].check(url), asks)
    from ...protocol.usage.acap_rules import AcapRules

    permissions = {agent: AcapRules(robots, agent=name) for agent, name in names.items()}
    return Judge(source, lambda url, agent: permissions[agent].restricted(rules[agent].check(url), url), asks)


def _one_judge(
    file: str, dialect: str | Dialect, names: Mapping[str, tuple[str, ...]], acap: bool, *, quiet: bool
) -> Callable[[str], Judge]:
    """Return a function that finds the same judge for each URL: a file."""
    judge = _file_judge(display_name(file), _robots(file, dialect, quiet=quiet), names, acap)
    return lambda _: judge


def _site_judges(
    client: "SiteClient", names: Mapping[str, tuple[str, ...]], *, quiet: bool
) -> Callable[[str], Judge]:
    """Return a function that finds the judge of a URL: its own site's robots.txt, which is fetched once.

    Without `quiet`, the reason is printed if a site is unreachable.
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
            if len(judges) >= _SITES:
                judges.clear()
            access = client.access(url)
            if access.outcome is Outcome.UNREACHABLE and not quiet:
                echo(f"{access.url}: {access.explain()}", err=True)
            if access.outcome is Outcome.RULES:
                judges[origin] = _file_judge(origin, access.robots, names, client.acap)
            else:
                judges[origin] = Judge(origin, lambda url, agent: access.check(url, agent=names[agent]), {})
        return judges[origin]

    return find


def _answers(
    inputs: Iterable[UrlInput],
    agents: Sequence[str],
    find_judge: Callable[[str], Judge],
    count: AnswerCount,
    *,
    all_invalid: bool,
) -> Iterator[UrlAnswer]:
    """Yield the answer for each URL and robot, and count it.

    Without `all_invalid`, the invalid URLs that are not reported have no answer.
    """
    for given in inputs:
        shown = True
        problem = url_problem(given.url)
        for agent in agents:
            verdict, source, asks = None, "", NOTHING
            if not problem:
                try:
                    url = without_dot_segments(given.url)
                    judge = find_judge(url)
                    verdict = judge.check(url, agent)
                    source, asks = judge.source, judge.asks.pop(agent, NOTHING)
                except InvalidURL as invalid:
                    problem = printable(str(invalid))
            if verdict is not None:
                count.add(verdict.allowed, unreachable=verdict.reason is Reason.UNREACHABLE)
            elif agent == agents[0]:
                shown = count.reject(f"{given.location}{problem}") or all_invalid
            if shown:
                yield UrlAnswer(given, agent, verdict, problem, source, asks)


class _PageView(NamedTuple):
    """What is shown of each page, and the uses that are respected."""

    respect: Sequence[str]
    regions: bool
    explain: bool
    as_json: bool


def _show_pages(
    inputs: Iterable[UrlInput],
    client: "SiteClient",
    agents: Mapping[str, tuple[str, ...]],
    count: AnswerCount,
    view: _PageView,
) -> None:
    """Fetch each page, and print the permissions of each robot. A failure does not stop the others."""
    from ..page_permissions import page_permissions
    from ..render.page import page_record, region_record, show_page, show_regions

    seen: set[tuple[str, str]] = set()
    for given in inputs:
        try:
            if problem := url_problem(given.url):
                raise InvalidURL(problem)
            if given.url.startswith("/"):
                raise InvalidURL(f"{given.shown!r}: a path without a site; write a whole URL")
            with waiting(f"fetching {given.shown}, as soon as the site allows a request"):
                judged = page_permissions(client, given.url, agents)
        except InvalidURL as invalid:
            failure = f"{given.location}{printable(str(invalid))}"
            count.reject(failure)
        except UnreachableSite as error:
            shown = printable(given.shown)
            subject = "" if error.message.startswith(f"{shown}: ") else f"{shown}: "
            failure = f"{given.location}{subject}{error.message}"
            echo(f"Error: {failure}", err=True)
            count.add(False, unreachable=True)
        else:
            failure = ""
        if failure:
            if view.as_json:
                record = {"url": json_text(given.shown), "allowed": None, "error": failure}
                echo_json(record)
            continue
        for permissions in judged:
            count.add(permissions.permits(view.respect), unreachable=permissions.unreachable)
            asks = _page_asks(permissions, agents[permissions.agent], seen)
            if view.as_json:
                regions = region_record(permissions) if view.regions else {}
                echo_json({**page_record(permissions), **regions, **(asks.record() if asks.fields else {})})
            else:
                show_page(permissions, explain=view.explain)
                if view.regions:
                    show_regions(permissions)
                url = without_password(permissions.verdict_url)
                show_asks(asks, permissions.access.origin, permissions.agent, url)


def _page_asks(permissions: "PagePermissions", names: tuple[str, ...], shown: set[tuple[str, str]]) -> Asks:
    """Return what the site of a page asks of a robot, once for each site and robot."""
    key = permissions.access.origin, permissions.agent
    if key in shown or permissions.access.outcome is not Outcome.RULES:
        return NOTHING
    if len(shown) >= _SITES:
        shown.clear()
    shown.add(key)
    return asks_of(permissions.access.robots.rules_for(names))
