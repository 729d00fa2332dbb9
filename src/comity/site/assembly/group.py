"""What is said to some robots -> the lines of their group, each with the places that ask for it.

The rules stand in the order in which they win, the longest first: robots that go by the first match answer
as those that go by the longest. Other fields follow, as RFC 9309 has no place for them.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from ...protocol.text import printable
from ...protocol.value import Value
from ..formatting.layout import SPELLINGS
from .clause import Clause

__all__ = ["Group", "Named", "Settled", "Subject", "lines_of", "rules_of", "shown"]

#: What a clause speaks of: its field, and its key.
Subject = tuple[str, str]

#: The fields of a group, in this order after its rules.
_FIELDS = (
    "content-usage",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "content-signal",
    "robot-version",
    "comment",
    "noindex",
)


class Named(Value):
    """A robot's token, and the places that name it."""

    __slots__ = ("token", "places")
    token: str
    places: tuple[str, ...]


class Group(Value):
    """A group of the file: its robots, then its other lines with the places that ask for them."""

    __slots__ = ("agents", "lines")
    agents: tuple[Named, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]


class Settled(Value):
    """A clause that nothing contradicts, and all the places that ask for it."""

    __slots__ = ("clause", "places")
    clause: Clause
    places: tuple[str, ...]


def lines_of(said: Mapping[Subject, Settled]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Write down what is said to a group: its rules, then its other fields."""
    rules = rules_of(said)
    yield from ((one.clause.text, one.places) for one in rules)
    if not rules:
        yield "Disallow:", ()  # nothing is closed; the standard of 1994 wants a line that says so
    for field in _FIELDS:
        name = SPELLINGS[field].decode()
        clauses = [one for one in said.values() if one.clause.field == field]
        if field == "content-usage":
            # By path, the longest first as the rules, each with all of its labels in one line.
            clauses.sort(key=lambda one: (-len(_path(one)), _path(one)))
            for path, preferences in groupby(clauses, _path):
                listed = list(preferences)
                pairs = ", ".join(f"{one.clause.key.rpartition(' ')[2]}={one.clause.value}" for one in listed)
                yield f"{name}: {listed[0].clause.text + ' ' if path else ''}{pairs}", _places(listed)
        elif field == "content-signal" and clauses:
            pairs = ", ".join(f"{one.clause.key}={one.clause.value}" for one in clauses)
            yield f"{name}: {pairs}", _places(clauses)
        else:
            yield from ((f"{name}: {one.clause.text}", one.places) for one in clauses)


def rules_of(said: Mapping[Subject, Settled]) -> list[Settled]:
    """Give the rules in the order in which they win (RFC 9309 2.2.2)."""
    rules = [one for one in said.values() if one.clause.field == "rule"]
    return sorted(rules, key=lambda one: (-len(one.clause.key), one.clause.value != "allow", one.clause.key))


def _path(one: Settled) -> str:
    return one.clause.key.rpartition(" ")[0]


def _places(settled: Iterable[Settled]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place for one in settled for place in one.places))


def shown(clause: Clause) -> str:
    """Give a clause as its line has it."""
    match clause.field:
        case "rule" | "inherit":
            return clause.text
        case "content-usage":
            label = clause.key.rpartition(" ")[2]
            return f"Content-Usage: {clause.text + ' ' if clause.text else ''}{label}={clause.value}"
        case "content-signal":
            return f"Content-Signal: {clause.key}={clause.value}"
        case field:
            return f"{SPELLINGS[field].decode()}: {printable(clause.text)}"
