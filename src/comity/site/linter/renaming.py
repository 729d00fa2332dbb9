"""Fixes that change the names in a User-agent line: which paths they close or open, and to which robots.

A group applies to a robot by its name, so another name can close a site to a search engine, or open it.
Owners notice that late. Such a fix is dropped, and the message says what it would have done.
"""

from collections.abc import Iterable, Sequence

from ...agents import ALL, question
from ...protocol.robotstxt.diagnostics.diagnostic import quoted
from ...protocol.robotstxt.document import parse
from ...protocol.robotstxt.engine.grammar import IDENTIFIER
from ...protocol.robotstxt.engine.lexer import Line
from ...protocol.text import printable, to_text
from ..compare.change import Change
from ..compare.diff import diff
from .rules.problem import Edit, Fix, Problem, edited
from .rules.subject import Subject, name_in

#: The robots whose access decides where a site is found and shown, by token.
_PUBLIC = {
    agent.token: {name.lower() for name in agent.names}
    for agent in ALL
    if agent.crawls and not agent.obsolete and not {"search", "preview"}.isdisjoint(agent.purposes)
}

#: The robot that a message names if the fix names none.
_FIRST = "Googlebot"

#: Maximum number of comparisons for one file, of the bytes that they read, and of automaton states in each.
_COMPARISONS = 24
_COMPARED = 1_000_000
_STATES = 20_000


class Renaming:
    """The check of the fixes of one file that change the name of a robot."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._left = min(_COMPARISONS, _COMPARED // max(len(subject.body), 1))

    def checked(self, problem: Problem) -> Problem:
        """Return a problem without its fix if that closes or opens a path to a search engine or a preview.

        The message then says which robots are affected, and what to do.
        """
        line = self._subject.lines[problem.line - 1]
        if problem.fix is None or problem.fix.safe or line.field != "user-agent":
            return problem
        new = _names(parse(_edited_line(line, problem.fix)).lines)
        changed = new ^ _names((line,))
        robots = [token for token, names in _PUBLIC.items() if "*" in changed or names & changed]
        if not robots:
            return problem
        self._left -= 1
        found = self._compared(problem.fix, robots) if self._left >= 0 else None
        if found is None:
            return _unfixed(problem, "because its effect on search engines is not known")
        if not found:
            return problem
        robots = [token for change in found for token in change.agents]
        robots.sort(key=lambda name: (name.lower() not in new, name != _FIRST))
        first = next(change for change in found if robots[0] in change.agents)
        alone = any(block.agents == (line,) for block in self._subject.blocks) and not line.value.count(b",")
        effect = f"because that {self._effect(first, robots)}"
        advice = f"remove this {'group' if alone else 'name'}, or write the name yourself if you mean that"
        return _unfixed(problem, f"{effect}; {advice}")

    def _compared(self, fix: Fix, robots: Sequence[str]) -> list[Change] | None:
        """Return the changes of access by a fix, or None if the files are too large to compare."""
        body = self._subject.body
        found = diff(body, edited(body, [fix]), agents=robots, states=_STATES)
        changes = [change for change in found.changes if change.closed or change.opened]
        return changes if changes or found.exact else None

    def _effect(self, change: Change, robots: Sequence[str]) -> str:
        """Return which paths a change closes or opens, to which robots, and the line that they obey now."""
        path = (*change.closed, *change.opened)[0]
        paths = " and ".join(map(quoted, path.patterns[:2]))
        verb = change.headline or f"{'closes' if path.closes else 'opens'} {paths}"
        groups = question(robots[0]).rules_for(self._subject.robots).groups
        now = f"obeys line {groups[0].line}" if groups else "no group names"
        more = f", and to {len(robots) - 1} more robots" if len(robots) > 1 else ""
        return printable(f"{verb} to {robots[0]}, which {now} now{more}")


def _unfixed(problem: Problem, reason: str) -> Problem:
    start = "Not fixed" if problem.message.endswith("?") else "not fixed"
    separator = " " if problem.message.endswith("?") else "; "
    return problem.replace(fix=None, message=f"{problem.message}{separator}{start}, {reason}")


def _names(lines: Iterable[Line]) -> set[str]:
    """Return the names that robots may find in the User-agent lines, in lower case."""
    found: set[str] = set()
    for line in lines:
        if line.field == "user-agent":
            value = line.value.lower()
            end = next((at for at, byte in enumerate(value) if byte not in IDENTIFIER), len(value))
            found |= {name_in(line), to_text(value), to_text(value[:end])}
    return found


def _edited_line(line: Line, fix: Fix) -> bytes:
    moved = [Edit(one.start - line.start, one.end - line.start, one.replacement) for one in fix.edits]
    return edited(line.raw, [Fix(tuple(moved), fix.safe)])
