"""`comity check`: which URLs robots may fetch, and which line of robots.txt says so.

The robots.txt is a file, or that of each URL's own site.
"""

import codecs
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import click

from ...errors import InvalidURL
from ...protocol.access.outcome import Outcome
from ...protocol.origin import Origin, is_scheme
from ...protocol.robotstxt.dialect import DIALECTS
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.selection import names_of
from ...protocol.robotstxt.verdict import Reason, Verdict, printable
from ..options import check_uses, page_option, policy_option, respect_option, user_agent_option
from ..render.report import Report, show_diagnostics, show_table, waiting, watched
from ..unusable import Unusable

if TYPE_CHECKING:
    from ..asking import Asker

__all__ = ["command"]

#: So many answers make one table: more are printed as further tables, in bounded memory.
_ROWS = 1000

#: So many sites' rules are kept ready.
_SITES = 1000


class Question(NamedTuple):
    """A URL as it was given, and where, for messages."""

    url: str
    place: str


class Answer(NamedTuple):
    """A question, the robot that it was asked for, and the verdict or what is wrong with the URL."""

    question: Question
    agent: str
    verdict: Verdict | None
    error: str


#: What answers for a URL and a robot, as it was given.
Judge = Callable[[str, str], Verdict]


@click.command("check")
@click.argument("urls", nargs=-1, metavar="URL...")
@click.option(
    "--robots",
    "robots_files",
    multiple=True,
    metavar="FILE|-",
    help="The robots.txt to read. Without it, that of each URL's own site.",
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A robot: its product token, its whole User-Agent header, or tokens in order of preference "
    "with commas between them, as Googlebot-Image,Googlebot: no fallback is added. Again for another "
    "robot. Default: *, any robot that is not named.",
)
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECTS), case_sensitive=False),
    help="The standard to read it by. Default: rfc9309, or the one that --policy follows.",
)
@policy_option
@user_agent_option
@page_option
@respect_option
@click.option("--urls", "urls_files", multiple=True, metavar="FILE|-", help="More URLs, one a line.")
@click.option("--explain", is_flag=True, help="Say why, in a sentence for each answer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, for programs.")
def command(
    urls: Sequence[str],
    robots_files: Sequence[str],
    agents: Sequence[str],
    dialect: str | None,
    policy: str,
    user_agent: str,
    pages: bool,
    respect: Sequence[str],
    urls_files: Sequence[str],
    explain: bool,
    as_json: bool,
) -> None:
    """Say which URLs robots may fetch, and which line says so.

    Without --robots each URL's own site is asked for its robots.txt, and for nothing else. The answer is
    kept for as long as it holds, in the user's cache directory or in the file that COMITY_STORE names.

    With --robots a URL is judged by its path and query, so a path that begins with / will do. What of
    the robots.txt is ignored, repaired or odd is told on standard error.

    With --page the page itself is fetched too, as a robot would, by the name that --user-agent gives; for
    each --agent it is told what that may do with the page, and on whose word.

    With - for a URL, URLs are read from standard input.

    Exit status: 0 if every answer is allowed (with --respect, the use too), 1 if one is not, 2 if a file
    cannot be read or a URL is none, 3 if a site is unreachable, so that robots must stay away.
    """
    if "-" in urls:
        urls, urls_files = [url for url in urls if url != "-"], [*urls_files, "-"]
    if len(robots_files) > 1:
        raise click.UsageError(f"name one robots.txt with --robots, not {len(robots_files)}")
    if not urls and not urls_files:
        raise click.UsageError("there is no URL to check; name one, or a file of them with --urls")
    if [*robots_files, *urls_files].count("-") > 1:
        raise click.UsageError("standard input is either the robots.txt or the URLs, not both")
    if pages and (robots_files or dialect):
        raise click.UsageError("--page asks the site itself: leave --robots and --dialect out")
    check_uses(respect, pages)
    robots_names = {agent: _names(agent) for agent in agents or ("*",)}
    for agent, names in robots_names.items():
        if not all(names):
            raise click.UsageError(f"{agent!r} names no robot; without --agent the answer is for any robot")
    report = Report()
    questions = chain(_arguments(urls), *(_lines(file) for file in urls_files))
    with ExitStack() as stack:
        if robots_files:
            robots = parse(_read(robots_files[0]), dialect or "rfc9309")
            judge = _by_file(robots, robots_names)
            if not as_json:
                name = "standard input" if robots_files[0] == "-" else robots_files[0]
                show_diagnostics(name, robots.diagnostics)
        else:
            from ..asking import Asker  # loads the HTTP client

            asker = stack.enter_context(Asker(user_agent, policy, kept=not user_agent))
            judge = _by_site(asker, robots_names, dialect)
        if pages:
            _tell_pages(questions, asker, robots_names, report, respect, explain=explain, as_json=as_json)
        else:
            _tell(_answers(questions, list(robots_names), judge, report), explain=explain, as_json=as_json)
        if report.total > 1 and not as_json:
            click.echo(report.summary())
    if not report.total:
        raise Unusable(f"there is no URL in {' and '.join(map(printable, urls_files))}")
    sys.exit(report.status)


def _tell(answers: Iterator[Answer], *, explain: bool, as_json: bool) -> None:
    """Print answers as they come."""
    if as_json:
        for answer in answers:
            click.echo(json.dumps(_json(answer)))
        return
    show = _explain if explain else _tabulate
    while rows := list(islice(answers, _ROWS)):
        show(rows)


def _tell_pages(
    questions: Iterable[Question],
    asker: "Asker",
    agents: Mapping[str, tuple[str, ...]],
    report: Report,
    respect: Sequence[str],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Fetch pages, and print for each robot what may be done with them; a failure keeps none back."""
    from ..asking import NoAnswer
    from ..pages import count, findings, record, show

    for question in questions:
        try:
            if error := _complaint(question.url):
                raise InvalidURL(error)
            if question.url.startswith("/"):
                raise InvalidURL(f"{question.url!r} is of no site; write a whole URL")
            with waiting(f"fetching {question.url}, when it is time"):
                found = findings(asker, question.url, agents)
        except InvalidURL as invalid:
            why = f"{question.place}{printable(str(invalid))}"
            report.failed(why)
        except NoAnswer as failure:
            why = f"{question.place}{printable(question.url)}: {failure.message}"
            click.echo(f"Error: {why}", err=True)
            report.disallowed += 1
            report.unreachable += 1
        else:
            why = ""
        if why:
            if as_json:
                click.echo(json.dumps({"url": _text(question.url), "allowed": None, "error": why}))
            continue
        for finding in found:
            count(finding, report, respect)
            if as_json:
                click.echo(json.dumps(record(finding)))
            else:
                show(finding, explain=explain)


def _read(file: str) -> bytes:
    """Read a file, or standard input, whole."""
    try:
        with click.open_file(file, "rb") as stream:
            body = stream.read()
            assert isinstance(body, bytes)  # noqa: S101  # opened in binary mode
            return body
    except OSError as error:
        raise _unreadable(file, error) from None


def _unreadable(file: str, error: OSError) -> click.ClickException:
    hint = "; leave --robots out, and each URL's own site is asked" if "://" in file else ""
    return Unusable(f"cannot read {printable(file)!r}: {error.strerror or error}{hint}")


def _arguments(urls: Iterable[str]) -> Iterator[Question]:
    for url in urls:
        yield Question(url, "")


def _lines(file: str) -> Iterator[Question]:
    """Give the URLs of a file, one a line, as they come; blank lines are passed over."""
    name = "standard input" if file == "-" else file
    try:
        with watched(file) as stream:
            for number, line in enumerate(stream, 1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                url = text.decode(errors="surrogateescape").strip()
                if url:
                    yield Question(url, f"{printable(name)}, line {number}: ")
    except OSError as error:
        raise _unreadable(file, error) from None


def _by_file(robots: RobotsTxt, names: Mapping[str, tuple[str, ...]]) -> Judge:
    """Judge by one robots.txt, whatever the URL's site."""
    rules = {agent: robots.rules_for(name) for agent, name in names.items()}
    return lambda url, agent: rules[agent].check(url)


def _by_site(asker: "Asker", names: Mapping[str, tuple[str, ...]], dialect: str | None) -> Judge:
    """Judge each URL by its own site's robots.txt, each asked for once."""
    judges: dict[str, Callable[[str, str], Verdict]] = {}

    def judge(url: str, agent: str) -> Verdict:
        if url.startswith("/"):
            raise InvalidURL(f"{url!r} is of no site; write a whole URL, or name a robots.txt with --robots")
        origin = str(Origin.of(url)) if "://" in url else url
        if origin not in judges:
            if len(judges) >= _SITES:
                judges.clear()
            access = asker.ask(url)
            if access.outcome is Outcome.RULES:
                judges[origin] = _by_file(parse(access.body, dialect or access.dialect), names)
            else:
                judges[origin] = lambda url, agent: access.check(url, agent=names[agent])
        return judges[origin](url, agent)

    return judge


def _answers(
    questions: Iterable[Question], agents: Sequence[str], judge: Judge, report: Report
) -> Iterator[Answer]:
    """Answer each question for each robot, and keep count."""
    for question in questions:
        error = _complaint(question.url)
        for agent in agents:
            verdict = None
            if not error:
                try:
                    verdict = judge(question.url, agent)
                except InvalidURL as invalid:
                    error = printable(str(invalid))
            if verdict is not None:
                report.allowed += verdict.allowed
                report.disallowed += not verdict.allowed
                report.unreachable += verdict.reason is Reason.UNREACHABLE
            elif agent == agents[0]:
                report.failed(f"{question.place}{error}")
            yield Answer(question, agent, verdict, error)


def _names(agent: str) -> tuple[str, ...]:
    """Read an --agent: tokens with commas between them, or a header, which may have commas too."""
    header = any(mark in agent for mark in "/(;")
    return names_of((agent,) if header else tuple(name.strip() for name in agent.split(",")))


def _complaint(url: str) -> str:
    """Refuse what the library would read in two ways: people forget the scheme."""
    first = url.partition("/")[0]
    scheme, colon, _ = url.partition(":")
    if url.startswith("/") or (
        colon and is_scheme(scheme.lower()) and not first.rpartition(":")[2].isdigit()
    ):
        return ""
    shown = printable(url)
    if not first.replace(".", "").replace("-", "").replace(":", "").isalnum():
        return f"{shown!r} is no URL and no path"
    hint = f"https://{shown}" if "." in first else f"/{shown}"
    return f"{shown} is neither a URL nor a path; write {hint}"


def _json(answer: Answer) -> dict[str, object]:
    verdict = answer.verdict
    if verdict is None:
        return {
            "url": _text(answer.question.url),
            "agent": _text(answer.agent),
            "allowed": None,
            "error": f"{answer.question.place}{answer.error}",
        }
    group = verdict.group
    return {
        "url": _text(answer.question.url),
        "agent": _text(answer.agent),
        "allowed": verdict.allowed,
        "reason": verdict.reason.code,
        "line": verdict.line,
        "rule": _text(str(verdict.rule)) if verdict.rule else None,
        "matched": verdict.matched and _text(verdict.matched),
        "group": group
        and {
            "agents": [_text(agent) for agent in group.agents],
            "line": group.line,
            "end_line": group.end_line,
        },
        "octets": verdict.octets,
        "overruled": [{"line": rule.line, "rule": _text(str(rule))} for rule in verdict.overruled],
        "explanation": verdict.explain(),
    }


def _text(text: str) -> str:
    """Make text that came as octets fit for JSON: octets that are not UTF-8 are percent-encoded."""
    if text.isascii():
        return text
    return "".join(
        f"%{ord(character) - 0xDC00:02X}" if "\udc80" <= character <= "\udcff" else character
        for character in text
    )


def _tabulate(rows: Sequence[Answer]) -> None:
    several = len({row.agent for row in rows}) > 1
    cells = []
    for row in rows:
        robot = [_robot(row)] if several else []
        texts = [row.question.url, *robot, *_why(row)]
        cells.append([_mark(row), *((printable(text), "") for text in texts)])
    show_table(["", "URL", *(["robot"] if several else []), "line", "rule", "reason"], cells)


def _why(row: Answer) -> tuple[str, str, str]:
    verdict = row.verdict
    if verdict is None:
        return "", "", "not a URL"
    return str(verdict.line or ""), str(verdict.rule or ""), verdict.reason.code


def _explain(rows: Sequence[Answer]) -> None:
    for row in rows:
        text, style = _mark(row)
        robot = "" if row.agent == "*" else f" for {printable(_robot(row))}"
        why = row.verdict.explain() if row.verdict is not None else printable(row.error)
        click.echo(f"{click.style(text, fg=style)}  {printable(row.question.url)}{robot}\n    {why}")


def _robot(row: Answer) -> str:
    """Name the robot shortly: by the token found in whatever the user gave."""
    return row.agent if row.verdict is None else row.verdict.agent


def _mark(row: Answer) -> tuple[str, str]:
    """Give the answer in a word, and its colour."""
    if row.verdict is None:
        return "error", "yellow"
    return ("allowed", "green") if row.verdict.allowed else ("disallowed", "red")
