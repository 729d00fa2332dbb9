"""Choose the robots that two files are compared for, and the dialect of each robot.

Most robots follow RFC 9309. Google publishes its own parser, which differs in details, so a change may
concern only Google's robots, or all others.

In `1994` a group matches a robot whose name contains one of the group's names. In `draft1996` it matches a
robot whose name is contained in one of them. The first matching group applies. Thus the order of groups can
matter to a robot that neither file names, and such robots are found here.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from ...agents import ALL, question
from ...errors import InvalidArgument
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.engine.dialect import GOOGLE, RFC9309, Dialect, dialect_named
from ...protocol.robotstxt.engine.known_robot import KnownRobot, checked_robot, robot_label, several_robots
from ...protocol.robotstxt.engine.selection import names_of
from ...protocol.text import to_text
from .field_comparison import FileFields

#: Maximum number of names to combine in pairs, and maximum number of robots that this may find.
_NAMES = 300
_AMBIGUOUS_ROBOTS = 1000

_DOUBT = "robots that match several groups, and obey the first, were not compared"

#: The groups that apply to a robot, in the old file and in the new one.
_Groups = tuple[tuple[int, ...], tuple[int, ...]]


def ambiguous_names(dialect: Dialect, old: FileFields, new: FileFields) -> tuple[list[str], str]:
    """Return robot names that contain two of the files' names, and a doubt if there may be more.

    Pairs are enough. One name selects the group in the old file, and one in the new file. A robot whose name
    contains just these two has the same groups. A pair is left out if a single name, or another pair, selects
    the same groups.
    """
    if dialect.agent_match.endswith("token") or old.group_names == new.group_names:
        return [], ""
    if dialect.agent_match != "value-in-name":
        return [], _DOUBT
    values = sorted({value for side in (old, new) for group in side.group_names for value in group})
    names = [name for name in (to_text(value.partition(b"/")[0].rstrip()) for value in values) if name]
    if len(names) > _NAMES:
        return [], _DOUBT
    groups_of = {name: _groups(name, old, new) for name in names}
    named = [(old.choice((name,)).named, new.choice((name,)).named) for name in names]
    rank = {
        name: tuple(
            groups[0] if is_named else 1 << 60 for groups, is_named in zip(groups_of[name], by, strict=True)
        )
        for name, by in zip(names, named, strict=True)
    }
    seen = set(groups_of.values())
    found: list[str] = []
    for one, other in combinations(names, 2):
        in_old, in_new = (one if rank[one][file] <= rank[other][file] else other for file in (0, 1))
        groups = groups_of[in_old][0], groups_of[in_new][1]
        if groups in seen:
            continue
        for name in (one + other, other + one, f"{one}-{other}", f"{other}-{one}"):
            # The name of a third group may appear where the two names meet.
            if names_of(name) == (name,) and _groups(name, old, new) == groups:
                break
        else:
            return found, _DOUBT
        if len(found) == _AMBIGUOUS_ROBOTS:
            return found, _DOUBT
        seen.add(groups)
        found.append(name)
    return found, ""


def _groups(name: str, old: FileFields, new: FileFields) -> _Groups:
    return old.choice((name,)).groups, new.choice((name,)).groups


#: Maximum number of named robots that are compared, and for dialects that search for names within names.
_ROBOTS = 10_000
_ROBOTS_BY_PART = 1_000

#: A robots.txt as the caller passes it.
File = bytes | str | RobotsTxt

#: A robot as the caller names it: see `RobotsTxt`.
Agent = str | Sequence[str] | KnownRobot

#: The names of a robot that no group names. A group of `draft1996` can match the name `*`.
_UNNAMED: Agent = ()

#: One robot, if it is a `str`, or several.
Agents = str | KnownRobot | Iterable[Agent]


class FilePair(NamedTuple):
    """The fields of the old and the new file, read by one dialect."""

    dialect: Dialect
    old: FileFields
    new: FileFields


class ComparedRobot(NamedTuple):
    """A robot to compare the files for, and the dialects that it may read them by.

    `ignores_star` is whether it ignores the groups for `*`.
    """

    agent: Agent
    dialects: frozenset[Dialect]
    ignores_star: bool


class Audiences(NamedTuple):
    """The robots to compare the files for, by label.

    `named` is true if a file has a group for a robot by name. `doubt` says why there may be more robots; it
    is empty otherwise.
    """

    robots: dict[str, ComparedRobot]
    named: bool
    doubt: str


def read_both(
    old: File, new: File, dialect: str | Dialect | None, *, exact: bool
) -> list[tuple[RobotsTxt, RobotsTxt]]:
    """Return both files as read by the given dialect, or by each that a known robot reads by.

    With `exact`, nothing is known about robots, so RFC 9309 is the only one.
    """
    parsed = {file.dialect for file in (old, new) if isinstance(file, RobotsTxt)}
    if dialect is None and len(parsed) > 1:
        names = " and in ".join(sorted(found.name for found in parsed))
        raise InvalidArgument(f"the files were parsed in {names}: pass dialect= to choose one")
    dialects = (
        [dialect_named(dialect)]
        if dialect is not None
        else list(parsed) or [RFC9309, GOOGLE][: 1 if exact else 2]
    )
    before, after = parse(old, dialect=dialects[0]), parse(new, dialect=dialects[0])  # warn once of each
    return [(parse(before, dialect=chosen), parse(after, dialect=chosen)) for chosen in dialects]


def audiences(pairs: Sequence[FilePair], agents: Agents | None, *, exact: bool) -> Audiences:
    """Return the robots that the caller names; the default is each named robot, and `*`.

    With `exact`, the catalogue of known robots is not consulted.
    """
    dialects = [pair.dialect for pair in pairs]
    by_name: dict[str, ComparedRobot] = {}
    names, doubt = _most_important(_names_in(pairs), dialects)
    for name in names:
        audience = _audience(name, dialects, exact)
        # A name that the robot's own dialect does not read selects no group, so `*` stands for it.
        if any(
            side.choice(names_of(audience.agent)).named
            for pair in pairs
            if pair.dialect in audience.dialects
            for side in (pair.old, pair.new)
        ):
            by_name[name] = audience
    if agents is not None:
        chosen = {
            robot_label(agent): _audience(agent, dialects, exact)
            for agent in map(checked_robot, several_robots(agents))
        }
        return Audiences(chosen, bool(by_name), "")
    robots = {"*": _audience("*", dialects, exact), **by_name}
    doubts = [doubt]
    for pair in pairs:
        found, doubt = ambiguous_names(*pair)
        doubts.append(doubt)
        for name in found:
            robots.setdefault(name, ComparedRobot(name, frozenset([pair.dialect]), False))
    return Audiences(robots, bool(by_name), "; ".join(dict.fromkeys(filter(None, doubts))))


def _names_in(pairs: Sequence[FilePair]) -> list[str]:
    """Return the robots that the files name, each once, ignoring case."""
    values: dict[bytes, None] = {}
    for pair in pairs:
        values |= dict.fromkeys((*pair.old.agents, *pair.new.agents))
    found: dict[str, str] = {}
    for value in values:
        for name in names_of(to_text(value)):
            if name and name != "*":
                found.setdefault(name.lower(), name)
    return list(found.values())


def _most_important(names: list[str], dialects: Sequence[Dialect]) -> tuple[list[str], str]:
    """Return the robots to compare for, and a doubt if there are more; the known ones go first."""
    most = _ROBOTS if all(dialect.agent_match.endswith("token") for dialect in dialects) else _ROBOTS_BY_PART
    if len(names) <= most:
        return names, ""
    known = {agent.token.lower() for agent in ALL}
    first = sorted(range(len(names)), key=lambda at: names[at].lower() not in known)[:most]
    doubt = f"the files name {len(names):,} robots, and only {most:,} of them were compared"
    return [names[at] for at in sorted(first)], doubt


def _audience(agent: Agent, dialects: Sequence[Dialect], exact: bool) -> ComparedRobot:
    """Return a robot with the names and dialects of its question. `*` has no name, and reads by all of them.

    Its own dialect counts unless the caller chose one for all robots.
    """
    if agent == "*":
        return ComparedRobot(_UNNAMED, frozenset(dialects), False)
    asked = question(agent, exact=exact)
    names = asked.agent if len(asked.agent) > 1 or isinstance(agent, KnownRobot) else agent
    if len(dialects) == 1:
        return ComparedRobot(names, frozenset(dialects), asked.ignores_star)
    own = RFC9309 if asked.dialect is None else dialect_named(asked.dialect)
    return ComparedRobot(names, frozenset([own]), asked.ignores_star)
