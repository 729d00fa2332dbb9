"""Write the group of some robots: its lines, each with the sources that request it.

Rules are sorted by precedence, the longest first. So robots that use the first match answer as those that
use the longest match. Other fields follow.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from ...agents import ALL, by_purpose
from ...protocol import LICENSE, Value, printable
from ..formatting import SPELLINGS
from .directive import Directive


class Note(Value):
    """A note for the owners of a site.

    `kind` is a word in kebab-case that notes of the same cause share, such as "overruled-rule", or the name
    of a lint rule. `message` is one line of text, and names the sources. `sources` are the locations in the
    plan and the fragments, such as "robots.d/shop.txt:3:1"; empty for a note on the whole file.

    >>> import comity
    >>> note = comity.build({"block": "Zzyzx"}).notes[0]
    >>> note.kind, note.sources
    ('unknown-agent', ('plan: block',))
    >>> print(note)
    plan: block: Zzyzx is not a known agent or purpose, so it is used as the name of a robot
    """

    kind: str
    message: str
    sources: tuple[str, ...]

    def __str__(self) -> str:
        return self.message


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


class BuiltGroup(Value):
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


#: The agents that obey only a group of their own name, never the group for `*`.
NAMED_ONLY = tuple(agent.token for agent in ALL if agent.named_only)

#: The names of a group that applies to all robots.
ALL_ROBOTS = ("*", *NAMED_ONLY)


def named_only_note(named: Container[str], source: str) -> Note | None:
    """Return a note on the agents that `source`, which closes the site to `*`, does not reach.

    `named` are the agents that have a group, in lower case. None if there is nothing to note.
    """
    missing = [token for token in NAMED_ONLY if token.lower() not in named]
    if not missing:
        return None
    message = (
        f"{source} does not close the site to {_some(missing)}, which obey only groups that name them; "
        "keep_out = true names them"
    )
    return Note("named-only-agents", message, (source,))


def data_collectors_note(named: Container[str], source: str) -> Note | None:
    """Return a note on the agents that collect data for others, if `source` blocks only training.

    The others may use the data for training. `named` are the agents that have a group, in lower case. None if
    there is nothing to note.
    """
    missing = [one.token for one in by_purpose("data") if not one.obsolete and one.token.lower() not in named]
    if not missing:
        return None
    message = (
        f"{source} blocks training but not data: {_some(missing)} collect for others, who may train on "
        'it; block "data" too, or set let_in = "data"'
    )
    return Note("data-collectors", message, (source,))


def _some(tokens: Sequence[str]) -> str:
    """Return a list of tokens, shortened to three."""
    more = len(tokens) - 3
    return ", ".join(tokens) if more < 2 else f"{', '.join(tokens[:3])} and {more} others"
