"""What may be done with a page, and whose word that is: for people a table, for programs JSON."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from ..errors import Disallowed
from ..protocol.access import Access
from ..protocol.robotstxt.verdict import Reason, Verdict, printable
from ..protocol.usage.vocabulary import Preference
from .report import Report, show_table

if TYPE_CHECKING:
    from ..protocol.page.directives import Answer
    from ..protocol.usage.answer import Usage
    from ..robot.page import Page, SiteFiles
    from .asking import Asker

__all__ = ["Finding", "count", "findings", "record", "show"]

#: What is asked of the page itself, as it is told.
_DIRECTIVES = ("index", "follow", "archive", "snippet")

#: What is asked of the use of its content: the category, as it is told.
_USES = {"train-ai": "AI training", "ai-input": "AI input", "search": "search", "tdm": "mining"}

_STYLES = {"allowed": "green", "disallowed": "red", "unknown": "yellow"}


class Row(NamedTuple):
    """A question and its answer in a word, with the reason, and the line that it stands in if it has one."""

    question: str
    label: str
    answer: str
    reason: str
    line: int | None


class Finding(NamedTuple):
    """What one robot may do with one page; where that was not fetched, `why` says why not."""

    url: str
    agent: str
    verdict: Verdict
    page: "Page | None"
    usage: "Usage"
    why: str

    def rows(self) -> Iterator[Row]:
        """Give each question with its answer."""
        yield Row("crawl", "crawl", _word(self.verdict.allowed), self.verdict.explain(), self.verdict.line)
        for name in _DIRECTIVES:
            if self.page is None:
                yield Row(name, name, "unknown", self.why, None)
            else:
                answer: Answer = getattr(self.page.directives, name)
                yield Row(name, name, _word(answer.allowed), _reason(answer, self.page), answer.line)
        for category, label in _USES.items():
            said = self.usage.deciding(category)
            if not self.verdict.allowed:
                yield Row(category, label, "disallowed", "the page may not be fetched", self.verdict.line)
            elif said is None:
                yield Row(category, label, "unknown", self.usage.explain(category), None)
            else:
                word = _word(said.preference is Preference.ALLOW)
                yield Row(category, label, word, str(said), said.place)

    def permits(self, categories: Iterable[str]) -> bool:
        """Say whether the page may be fetched, and no use among the categories is disallowed."""
        return self.verdict.allowed and all(map(self.usage.permits, categories))


def findings(asker: "Asker", url: str, agents: Mapping[str, tuple[str, ...]]) -> list[Finding]:
    """Fetch a page if it may be fetched, and say for each robot what may be done with it.

    `agents` are the robots' names, by what they are called here. Raises `InvalidURL`, and `NoAnswer` for a
    page that cannot be had.
    """
    access = asker.ask(url)
    page, files, why = None, None, "the page may not be fetched"
    steps = [(url, access)]
    if any(access.allowed(url, agent=names) for names in agents.values()):
        try:
            page, files = asker.page(url)
        except Disallowed as refusal:
            if refusal.url != url:
                steps.append((refusal.url, asker.ask(refusal.url)))
            why = (
                f"{asker.name} may not fetch it: {refusal.verdict.explain()}; --user-agent gives another name"
            )
    if page is not None and page.hops:
        steps += [(address, asker.ask(address)) for address in (*page.hops[1:], page.url)]
    return [_finding(url, agent, names, steps, page, files, why) for agent, names in agents.items()]


def _finding(
    url: str,
    agent: str,
    names: tuple[str, ...],
    steps: Sequence[tuple[str, Access]],
    page: "Page | None",
    files: "SiteFiles | None",
    why: str,
) -> Finding:
    """Judge for one robot: the URL and where its redirects led, and then what was found there."""
    from ..protocol.usage.answer import usage
    from ..robot.page import judged

    for address, access in steps:
        verdict = access.check(address, agent=names)
        if not verdict:
            return Finding(url, agent, verdict, None, usage(address, agent=names, robots=access), why)
    if page is None:
        return Finding(url, agent, verdict, None, usage(address, agent=names, robots=access), why)
    now = time.time()
    read = judged(
        page.url,
        page.hops,
        page.status,
        page.headers,
        page.body,
        agent=names,
        now=now,
        robots=access,
        files=files,
    )
    return Finding(url, agent, verdict, read, read.usage, "")


def count(found: Finding, report: Report, respect: Sequence[str]) -> None:
    """Count a finding as allowed or not, for the exit status."""
    permitted = found.permits(respect)
    report.allowed += permitted
    report.disallowed += not permitted
    report.unreachable += found.verdict.reason is Reason.UNREACHABLE


def show(found: Finding, *, explain: bool) -> None:
    """Print a finding as a table; with `explain`, all that was heard too."""
    page = found.page
    where = f", found at {printable(page.url)}" if page is not None and page.hops else ""
    status = "not fetched" if page is None else f"{page.status}{where}"
    click.echo(f"{printable(found.url)} for {printable(found.agent)} ({status})")
    rows = [[(row.label, ""), (row.answer, _STYLES[row.answer]), (row.reason, "")] for row in found.rows()]
    show_table(["", "", "reason"], rows)
    if explain and page is not None:
        click.echo(page.directives.explain())
    if explain:
        for said in found.usage.statements:
            click.echo(f"{said.category} {said.preference.value}: {said}: {said.standing.value}")


def record(found: Finding) -> dict[str, object]:
    """Give a finding as JSON has it."""
    return {
        "url": printable(found.url),
        "agent": printable(found.agent),
        "allowed": found.verdict.allowed,
        "line": found.verdict.line,
        "answers": {
            row.question: {"answer": row.answer, "reason": row.reason, "line": row.line}
            for row in found.rows()
        },
        "usage": found.usage.record(),
        "page": None if found.page is None else found.page.record(),
    }


def _word(allowed: bool) -> str:
    return "allowed" if allowed else "disallowed"


def _reason(answer: "Answer", page: "Page") -> str:
    """Say who decided, and for a snippet how long it may be."""
    if answer.statements:
        return f"`{answer.statements[0]}` ({answer.source})"
    limit = page.directives.decisive("max-snippet") if answer.question == "snippet" else None
    return "nothing forbids it" if limit is None else f"no more than `{limit}` ({limit.source})"
