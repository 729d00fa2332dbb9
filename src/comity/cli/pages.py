"""What may be done with a page, and whose word that is: for people a table, for programs JSON."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

import click

from ..errors import Disallowed
from ..protocol.access.outcome import Access
from ..protocol.origin import Origin
from ..protocol.robotstxt.fields.vocabulary import Preference
from ..protocol.robotstxt.verdict import Reason, Verdict, printable
from .render.report import Report, show_table

if TYPE_CHECKING:
    from ..politeness.page import Page, SiteFiles
    from ..protocol.page.directives import Answer
    from ..protocol.robotstxt.fields.statement import Statement
    from ..protocol.usage.answer import Usage
    from .asking import Asker

__all__ = ["Finding", "count", "findings", "record", "show"]

#: What is asked of the page itself, as it is told.
_DIRECTIVES = ("index", "follow", "archive", "snippet")

#: What is asked of the use of its content: the category, as it is told.
_USES = {"train-ai": "AI training", "ai-input": "AI input", "search": "search", "tdm": "mining"}

#: So many redirects are followed.
_HOPS = 10

#: Why nothing more is known of a page that is closed.
_FORBIDDEN = "the page may not be fetched"

_STYLES = {"allowed": "green", "disallowed": "red", "unknown": "yellow"}


class Row(NamedTuple):
    """A question and its answer in a word, with the reason, and the line that it stands in if it has one."""

    question: str
    label: str
    answer: str
    reason: str
    line: int | None


class Finding(NamedTuple):
    """What one robot may do with one page; where that was not fetched, `why` says why not.

    `place` is the URL that the verdict is about: where a redirect led, if that is forbidden. `usages` are
    what was said of the use of each URL on the way, the page's last.
    """

    url: str
    agent: str
    verdict: Verdict
    place: str
    page: "Page | None"
    usages: "tuple[Usage, ...]"
    why: str

    @property
    def usage(self) -> "Usage":
        """What was said of the use of the page."""
        return self.usages[-1]

    def deciding(self, category: str) -> "tuple[Statement | None, Usage]":
        """Give the statement that decides, and where it was heard: a disallow on the way counts."""
        for usage in self.usages:
            said = usage.deciding(category)
            if said is not None and said.preference is Preference.DISALLOW:
                return said, usage
        return self.usage.deciding(category), self.usage

    def rows(self) -> Iterator[Row]:
        """Give each question with its answer."""
        where = "" if self.place == self.url else f"{self.place}: "
        why = f"{where}{self.verdict.explain()}"
        yield Row("crawl", "crawl", _word(self.verdict.allowed), why, self.verdict.line)
        for name in _DIRECTIVES:
            if self.page is None or not self.page.has_content:
                yield Row(name, name, "unknown", self._unseen(), None)
            else:
                answer: Answer = getattr(self.page.directives, name)
                yield Row(name, name, _word(answer.allowed), _reason(answer, self.page), answer.line)
        for category, label in _USES.items():
            said, usage = self.deciding(category)
            if not self.verdict.allowed:
                yield Row(category, label, "disallowed", _FORBIDDEN, self.verdict.line)
            elif said is not None:
                where = f"{usage.url}: " if usage is not self.usage else ""
                yield Row(
                    category, label, _word(said.preference is Preference.ALLOW), f"{where}{said}", said.place
                )
            elif self.page is None or not self.page.has_content:
                yield Row(category, label, "unknown", self._unseen(), None)
            else:
                yield Row(category, label, "unknown", self.page.unheard or usage.explain(category), None)

    def _unseen(self) -> str:
        """Say why nothing is known of the page."""
        return self.why if self.page is None else f"there is no page: the server answers {self.page.status}"

    def permits(self, categories: Sequence[str]) -> bool:
        """Say whether the page may be fetched, and was and may be used for each category if there are any."""
        if not self.verdict.allowed or not categories:
            return self.verdict.allowed
        if self.page is None or self.page.unheard or not self.page.has_content:
            return False
        return all(usage.permits(category) for usage in self.usages for category in categories)


def findings(asker: "Asker", url: str, agents: Mapping[str, tuple[str, ...]]) -> list[Finding]:
    """Fetch a page if it may be fetched, and say for each robot what may be done with it.

    Redirects are followed for as long as one of the robots may follow them. `agents` are the robots' names,
    by what they are called here. Raises `InvalidURL`, and `NoAnswer` for a page that cannot be had.
    """
    from .asking import NoAnswer

    steps: list[tuple[str, Access]] = []
    following = list(agents.values())
    page, files, why = None, None, _FORBIDDEN
    address: str | None = url
    while address is not None:
        if len(steps) > _HOPS or any(address == known for known, _ in steps):
            raise NoAnswer(f"the redirects go round, or on for more than {_HOPS}")
        access = asker.ask(address)
        steps.append((address, access))
        following = [names for names in following if access.allowed(address, agent=names)]
        page = files = None
        if not following:
            break
        try:
            page, files = asker.page(address)
        except Disallowed as refusal:
            why = (
                f"{asker.name} may not fetch it: {refusal.verdict.explain()}; --user-agent gives another name"
            )
            break
        address = _target(page)
    return [_finding(url, agent, names, steps, page, files, why) for agent, names in agents.items()]


def _target(page: "Page") -> str | None:
    """Give where a page redirects to, if it does."""
    from .asking import NoAnswer

    where = next((value for name, value in page.headers if name.lower() == "location"), None)
    if where is None or page.status not in (301, 302, 303, 307, 308):
        return None
    try:
        target = urljoin(page.url, where)
        Origin.of(target)
    except ValueError as error:
        raise NoAnswer(f"{page.url} redirects to {where[:200]!r}, which is no URL") from error
    return target


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
    from ..agents import find
    from ..politeness.page import judged
    from ..protocol.usage.answer import usage

    known = find(names[0])
    control = None if known is None else known.control_token
    usages = []
    for address, access in steps:
        verdict = access.check(address, agent=names)
        usages.append(usage(address, agent=names, robots=access, control_token=control))
        if not verdict:
            return Finding(url, agent, verdict, address, None, tuple(usages), _FORBIDDEN)
    if page is None:
        return Finding(url, agent, verdict, url, None, tuple(usages), why)
    hops = tuple(address for address, _ in steps[:-1])
    read = judged(
        page.url,
        hops,
        page.status,
        page.headers,
        page.body,
        agent=names,
        now=time.time(),
        robots=access,
        files=files,
        control_token=control,
    )
    return Finding(url, agent, verdict, url, read, (*usages[:-1], read.usage), "")


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
    if page is not None and page.unheard:
        click.echo(f"Not all is known: {page.unheard}")
    rows = [[(row.label, ""), (row.answer, _STYLES[row.answer]), (row.reason, "")] for row in found.rows()]
    show_table(["", "", "reason"], rows)
    if explain and page is not None:
        click.echo(page.directives.explain())
    if explain:
        for said in [said for usage in found.usages for said in usage.statements]:
            click.echo(f"{said.category} {said.preference.value}: {said}: {said.standing.value}")


def record(found: Finding) -> dict[str, object]:
    """Give a finding as JSON has it."""
    return {
        "url": printable(found.url),
        "agent": printable(found.agent),
        "allowed": found.verdict.allowed,
        "line": found.verdict.line,
        "decided_at": printable(found.place),
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
