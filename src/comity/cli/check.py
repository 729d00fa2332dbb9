"""`comity check`: which URLs robots may fetch, and which line of robots.txt says so."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import click

from ..errors import InvalidURL
from ..protocol.robotstxt.dialect import DIALECTS
from ..protocol.robotstxt.document import RobotsTxt, parse
from ..protocol.robotstxt.selection import names_of
from ..protocol.robotstxt.verdict import Verdict, printable
from .report import Report, progress, show_table

__all__ = ["command"]

#: So many answers make one table: more are printed as further tables, in bounded memory.
_ROWS = 1000


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


@click.command("check")
@click.argument("urls", nargs=-1, metavar="URL...")
@click.option("--robots", "robots_file", required=True, metavar="FILE|-", help="The robots.txt to read.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="A robot: its product token, its whole User-Agent header, or tokens in order of preference "
    "with commas between them. Again for another robot. Default: *, any robot that is not named.",
)
@click.option("--dialect", type=click.Choice(list(DIALECTS)), default="rfc9309", show_default=True)
@click.option("--urls", "urls_file", metavar="FILE|-", help="More URLs, one a line.")
@click.option("--explain", is_flag=True, help="Say why, in a sentence for each answer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def command(
    urls: Sequence[str],
    robots_file: str,
    agents: Sequence[str],
    dialect: str,
    urls_file: str | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Say whether robots may fetch URLs, and which line of robots.txt says so.

    A URL is judged by its path and query, so a path that begins with / will do. With - for a URL,
    URLs are read from standard input.

    Exit status: 0 if every answer is allowed, 1 if one is not, 2 if a file cannot be read or a URL
    is none.
    """
    if "-" in urls:
        urls, urls_file = [url for url in urls if url != "-"], urls_file or "-"
    if not urls and urls_file is None:
        raise click.UsageError("there is no URL to check; name one, or a file of them with --urls")
    if robots_file == "-" and urls_file == "-":
        raise click.UsageError("standard input is either the robots.txt or the URLs, not both")
    robots = parse(_read(robots_file), dialect)
    questions = [*_arguments(urls), *(_lines(urls_file) if urls_file else ())]
    report = Report()
    answers = _answers(robots, questions, agents or ("*",), report)
    if as_json:
        for answer in answers:
            click.echo(json.dumps(_json(answer)))
    else:
        show = _explain if explain else _tabulate
        while rows := list(islice(answers, _ROWS)):
            show(rows)
        if report.total > 1:
            click.echo(report.summary())
    sys.exit(report.status)


def _read(file: str) -> bytes:
    """Read a file, or standard input, whole."""
    try:
        with click.open_file(file, "rb") as stream:
            body = stream.read()
            assert isinstance(body, bytes)  # noqa: S101  # opened in binary mode
            return body
    except OSError as error:
        reason = error.strerror or str(error)
        click.echo(f"Error: cannot read {printable(file)}: {reason}", err=True)
        sys.exit(2)


def _arguments(urls: Iterable[str]) -> Iterator[Question]:
    for url in urls:
        yield Question(url, "")


def _lines(file: str) -> Iterator[Question]:
    """Give the URLs of a file, one a line; blank lines are passed over."""
    name = "standard input" if file == "-" else file
    for number, line in enumerate(_read(file).splitlines(), 1):
        url = line.decode(errors="surrogateescape").strip()
        if url:
            yield Question(url, f"{name}, line {number}: ")


def _answers(
    robots: RobotsTxt, questions: Sequence[Question], agents: Sequence[str], report: Report
) -> Iterator[Answer]:
    """Answer each question for each robot, and keep count."""
    all_rules = [(agent, robots.rules_for(names_of(agent.split(",")))) for agent in agents]
    for question in progress(questions, "checking"):
        for agent, rules in all_rules:
            try:
                verdict = rules.check(_url(question.url))
            except InvalidURL as error:
                report.failed(f"{question.place}{error}")
                yield Answer(question, agent, None, str(error))
                break
            report.allowed += verdict.allowed
            report.disallowed += not verdict.allowed
            yield Answer(question, agent, verdict, "")


def _url(url: str) -> str:
    """Refuse what the library would take for a relative path: people forget the scheme."""
    if url.startswith("/") or ":" in url.partition("/")[0]:
        return url
    raise InvalidURL(
        f"{printable(url)} is neither a URL nor a path; write https://{printable(url)} or /{printable(url)}"
    )


def _json(answer: Answer) -> dict[str, object]:
    verdict = answer.verdict
    if verdict is None:
        return {"url": _text(answer.question.url), "agent": answer.agent, "error": answer.error}
    group = verdict.group
    return {
        "url": _text(answer.question.url),
        "agent": answer.agent,
        "allowed": verdict.allowed,
        "reason": verdict.reason.code,
        "line": verdict.line,
        "rule": _text(str(verdict.rule)) if verdict.rule else None,
        "matched": verdict.matched,
        "group": group and {"agents": group.agents, "line": group.line, "end_line": group.end_line},
        "octets": verdict.octets,
        "overruled": [{"line": rule.line, "rule": _text(str(rule))} for rule in verdict.overruled],
        "explanation": verdict.explain(),
    }


def _text(text: str) -> str:
    """Make text that came as octets fit for JSON, which has no lone surrogates."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _tabulate(rows: Sequence[Answer]) -> None:
    several = len({row.agent for row in rows}) > 1
    robot = ["robot"] if several else []
    cells = [
        [
            _mark(row),
            *(((text, "")) for text in (row.question.url, *([_robot(row)] if several else []), *_why(row))),
        ]
        for row in rows
    ]
    show_table(
        ["", "URL", *robot, "line", "rule", "reason"], [[(printable(t), s) for t, s in row] for row in cells]
    )


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
