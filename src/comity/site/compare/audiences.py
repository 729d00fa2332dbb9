"""Two files, and the robots of the caller -> the files by each dialect, and which robots read by which.

A change of meaning is one only to whom reads it so. Most robots say that they follow RFC 9309; Google
documents and publishes a parser of its own, which differs in its details.
"""

from collections.abc import Iterable, Sequence

from ...agents import find
from ...errors import InvalidDialect
from ...protocol.robotstxt.dialect import GOOGLE, RFC9309, Dialect, named
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.selection import names_of
from .ambiguous_names import joined
from .fields import FieldsOf

__all__ = ["Agent", "Asked", "File", "Sides", "asked_of", "readings_of"]

#: A robots.txt as the caller has it.
File = bytes | str | RobotsTxt

#: A robot as the caller names it: see `RobotsTxt`.
Agent = str | Sequence[str]

#: A robot to ask for, and the dialects that it reads by.
Asked = tuple[Agent, frozenset[Dialect]]

#: What the groups of the old and the new file say to whom, in one dialect.
Sides = tuple[FieldsOf, FieldsOf]

#: The old and the new file in one dialect.
Reading = tuple[RobotsTxt, RobotsTxt]


def readings_of(old: File, new: File, dialect: str | Dialect | None) -> list[Reading]:
    """Read both files: in one dialect, or in each that a robot is known to read by."""
    parsed = {file.dialect for file in (old, new) if isinstance(file, RobotsTxt)}
    if dialect is None and len(parsed) > 1:
        names = " and in ".join(sorted(found.name for found in parsed))
        raise InvalidDialect(f"the files were parsed in {names}; say by which dialect to compare them")
    dialects = [named(dialect)] if dialect is not None else list(parsed) or [RFC9309, GOOGLE]
    before, after = (
        [
            file if isinstance(file, RobotsTxt) and file.dialect == chosen
            else parse(file.body if isinstance(file, RobotsTxt) else file, chosen)
            for chosen in dialects
        ]
        for file in (old, new)
    )  # fmt: skip
    return list(zip(before, after, strict=True))


def _is_google(agent: Agent) -> bool:
    """Say whether a robot is Google's, which reads by the dialect that Google documents."""
    known = find(agent if isinstance(agent, str) else next(iter(agent), ""))
    return known is not None and known.operator == "Google"


def _with_fallback(agent: Agent) -> Agent:
    """Give a robot of one name with those too whose rules it is known to follow where it has none."""
    known = find(agent) if isinstance(agent, str) else None
    return known.names if known is not None and len(known.names) > 1 else agent


def asked_of(
    readings: Sequence[Reading], sides: Sequence[Sides], agents: Iterable[Agent] | None
) -> tuple[dict[str, Asked], bool, str]:
    """Give the robots to ask for, whether a file has rules by name, and why there may be more robots."""
    asked: dict[str, Asked] = {}
    robots: dict[str, Agent] = {}
    spellings: dict[str, str] = {}
    for before, after in readings:
        for name, agent in _named(before, after).items():
            spellings.setdefault(name.lower(), name)
            robots.setdefault(spellings[name.lower()], agent)
    by_name = False
    doubt = ""
    for label, agent in robots.items():
        dialects = _dialects_of(agent, readings)
        agent = _with_fallback(agent)
        # What no dialect of the robot reads as its name leaves it one of the others.
        if any(
            side.names(names_of(agent))
            for (before, _), pair in zip(readings, sides, strict=True)
            if before.dialect in dialects
            for side in pair
        ):
            by_name = True
            if agents is None:
                asked[label] = agent, dialects
    if agents is None:
        asked = {"*": ("*", _dialects_of("*", readings)), **asked}
        for (before, _), pair in zip(readings, sides, strict=True):
            others, doubt = joined(before.dialect, *pair)
            for name in others:
                asked.setdefault(name, (name, frozenset([before.dialect])))
    else:
        for agent in agents:
            label = agent if isinstance(agent, str) else ", ".join(agent)
            asked[label] = _with_fallback(agent), _dialects_of(agent, readings)
    return asked, by_name, doubt


def _dialects_of(agent: Agent, readings: Sequence[Reading]) -> frozenset[Dialect]:
    """Give the dialects that a robot reads by: the one that was asked for, or else its own."""
    dialects = [before.dialect for before, _ in readings]
    if len(dialects) > 1 and agent != "*":
        dialects = [GOOGLE if _is_google(agent) else RFC9309]
    return frozenset(dialects)


def _named(*files: RobotsTxt) -> dict[str, Agent]:
    """Give the robots that files name, each once, whatever the case."""
    found: dict[str, str] = {}
    for file in files:
        for group in file.groups:
            for value in group.agents:
                for name in names_of(value):
                    if name and name != "*":
                        found.setdefault(name.lower(), name)
    return {name: name for name in found.values()}
