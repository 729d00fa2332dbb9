"""A file -> its rules that win for no robot that reads them, and the groups too large to know it."""

from collections.abc import Mapping

from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.robotstxt.verdict import Group
from ...protocol.value import Value
from ..compare.unreachable_rules import UnreachableRule, unreachable_rules

__all__ = ["Outranked", "outranked"]

#: So many pieces of patterns are looked at for one robot, and in all: it is exact, and takes its time.
_PIECES = 5_000
_ALL = 20_000


class Outranked(Value):
    """`rules` never win, in file order; `skipped` are the lines of groups that were not asked about."""

    __slots__ = ("rules", "skipped")
    rules: tuple[UnreachableRule, ...]
    skipped: tuple[int, ...]


def outranked(robots: RobotsTxt, groups_of: Mapping[str, tuple[int, ...]]) -> Outranked:
    r"""Ask exactly, for each set of groups that speaks to a robot; `groups_of` has their lines, by name.

    A rule that several robots read is given if it wins for none of them.

    >>> import comity
    >>> robots = comity.parse("User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nAllow: /x*")
    >>> [never.rule.line for never in outranked(robots, {"a": (1, 5)}).rules]
    [3]
    >>> outranked(robots, {"a": (1, 5), "b": (1,)}).rules
    ()
    """
    sizes = {group.line: _pieces(group) for group in robots.groups}
    asked: set[tuple[int, ...]] = set()
    readers: dict[int, int] = {}  # of each group, the sets that it is in
    found: dict[int, list[UnreachableRule]] = {}
    skipped: set[int] = set()
    left = _ALL
    for name, groups in groups_of.items():
        if groups in asked:
            continue
        asked.add(groups)
        if sum(sizes[line] for line in groups) > min(_PIECES, left):
            skipped.update(groups)
            continue
        rules = robots.rules_for(name)  # a name may be the beginning of others, and speak for them
        lines = [group.line for group in rules.groups]
        pieces = sum(sizes[line] for line in lines)
        if pieces > min(_PIECES, left):
            skipped.update(lines)
            continue
        left -= pieces
        for line in lines:
            readers[line] = readers.get(line, 0) + 1
        for never in unreachable_rules(rules):
            found.setdefault(never.rule.line, []).append(never)
    given = [
        found[rule.line][0]
        for group in robots.groups
        if group.line not in skipped
        for rule in group.rules
        if len(found.get(rule.line, ())) == readers.get(group.line, -1)
    ]
    return Outranked(tuple(given), tuple(sorted(skipped)))


def _pieces(group: Group) -> int:
    """Count the pieces that stars cut the patterns of a group into."""
    return sum(1 + rule.pattern.count("*") for rule in group.rules)
