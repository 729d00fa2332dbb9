"""Write the group of some robots: its lines, each with the sources that request it.

Rules are sorted by precedence, the longest first. So robots that use the first match answer as those that
use the longest match. Other fields follow.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from ...protocol.robotstxt.engine.grammar import LICENSE
from ...protocol.text import printable
from ...protocol.value import Value
from ..formatting.layout import SPELLINGS
from .directive import Directive

#: The subject of a directive: its field and its key.
Subject = tuple[str, str]

#: The fields of a group, in their order after its rules.
_FIELDS = (
    "content-usage",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "content-signal",
    LICENSE,
    "robot-version",
    "comment",
    "noindex",
)


class NamedAgent(Value):
    """The product token of a robot, and the sources that name it."""

    token: str
    sources: tuple[str, ...]


class Group(Value):
    """A group of the file: its robots, and its other lines, each with its sources."""

    agents: tuple[NamedAgent, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]


class Merged(Value):
    """A directive that no other contradicts, with all sources that request it."""

    directive: Directive
    sources: tuple[str, ...]


def group_lines(merged: Mapping[Subject, Merged]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the lines of a group below its User-agent lines, each with its sources."""
    rules = sorted_rules(merged)
    yield from ((one.directive.text, one.sources) for one in rules)
    if not rules:
        yield "Disallow:", ()  # closes nothing; the standard of 1994 requires at least one
    for field in _FIELDS:
        name = SPELLINGS[field].decode()
        directives = [one for one in merged.values() if one.directive.field == field]
        if field == "content-usage":
            # One line per path with all labels; the longest path first, as for rules.
            directives.sort(key=lambda one: (-len(_path(one)), _path(one)))
            for path, preferences in groupby(directives, _path):
                listed = list(preferences)
                pairs = ", ".join(
                    f"{one.directive.key.rpartition(' ')[2]}={one.directive.value}" for one in listed
                )
                yield f"{name}: {listed[0].directive.text + ' ' if path else ''}{pairs}", _sources(listed)
        elif field == "content-signal" and directives:
            pairs = ", ".join(f"{one.directive.key}={one.directive.value}" for one in directives)
            yield f"{name}: {pairs}", _sources(directives)
        else:
            yield from ((f"{name}: {one.directive.text}", one.sources) for one in directives)


def sorted_rules(merged: Mapping[Subject, Merged]) -> list[Merged]:
    """Return the rules by precedence, the winning ones first (RFC 9309 2.2.2)."""
    rules = [one for one in merged.values() if one.directive.field == "rule"]
    return sorted(
        rules, key=lambda one: (-len(one.directive.key), one.directive.value != "allow", one.directive.key)
    )


def _path(one: Merged) -> str:
    return one.directive.key.rpartition(" ")[0]


def _sources(merged: Iterable[Merged]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for one in merged for source in one.sources))


def directive_line(directive: Directive) -> str:
    """Return the line of a single directive, for messages."""
    match directive.field:
        case "rule" | "inherit":
            return directive.text
        case "content-usage":
            label = directive.key.rpartition(" ")[2]
            path = directive.text + " " if directive.text else ""
            return f"Content-Usage: {path}{label}={directive.value}"
        case "content-signal":
            return f"Content-Signal: {directive.key}={directive.value}"
        case field:
            return f"{SPELLINGS[field].decode()}: {printable(directive.text)}"
