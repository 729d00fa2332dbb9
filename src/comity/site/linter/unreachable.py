"""A file -> its rules that win for no robot that reads them, and the groups too large to compare."""

from collections.abc import Mapping

from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.robotstxt.engine.groups import RawGroup
from ...protocol.robotstxt.engine.reference import Reading
from ...protocol.robotstxt.engine.selection import names_of
from ...protocol.value import Value
from ..compare.unreachable_rules import UnreachableRule, unreachable_in

#: Maximum number of pattern pieces that are compared for one robot, and in total. The search is exact and
#: takes its time.
_PIECES = 5_000
_TOTAL_PIECES = 20_000

_FOR_ROBOT = f"a robot has more than {_PIECES:,} pieces of patterns, the limit for one robot"
_IN_FILE = f"the file has more than {_TOTAL_PIECES:,} pieces of patterns, the limit for one file"


class UnreachableRules(Value):
    """`rules` never win, in file order; `skipped` are the first lines of groups that were not compared.

    `limits` are the sentences that say why groups were skipped, each once.
    """

    rules: tuple[UnreachableRule, ...]
    skipped: tuple[int, ...]
    limits: tuple[str, ...]


def find_unreachable_rules(robots: RobotsTxt, groups_of: Mapping[str, tuple[int, ...]]) -> UnreachableRules:
    r"""Find the rules that never win, for each set of groups that applies to a robot.

    `groups_of` has the first lines of the groups of each name. A rule that several robots read is unreachable
    if it wins for none of them.

    >>> import comity
    >>> robots = comity.parse("User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nAllow: /x*")
    >>> [never.rule.line for never in find_unreachable_rules(robots, {"a": (1, 5)}).rules]
    [3]
    >>> find_unreachable_rules(robots, {"a": (1, 5), "b": (1,)}).rules
    ()
    """
    reading = Reading(robots.body, robots.dialect)
    group_at = {_first_line(group): group for group in reading.groups}
    sizes = {line: _pieces(group) for line, group in group_at.items()}
    seen: set[tuple[int, ...]] = set()
    readers: dict[int, int] = {}  # for each group, the number of sets that have it
    found: dict[int, list[UnreachableRule]] = {}
    skipped: set[int] = set()
    limits: set[str] = set()
    left = _TOTAL_PIECES
    for name, groups in groups_of.items():
        if groups in seen:
            continue
        seen.add(groups)
        pieces = sum(sizes[line] for line in groups)
        if pieces > min(_PIECES, left):
            skipped.update(groups)
            limits.add(_FOR_ROBOT if pieces > _PIECES else _IN_FILE)
            continue
        _, selected = reading.select(names_of(name))  # a name may also select the groups of longer names
        lines = list(map(_first_line, selected))
        pieces = sum(sizes[line] for line in lines)
        if pieces > min(_PIECES, left):
            skipped.update(lines)
            limits.add(_FOR_ROBOT if pieces > _PIECES else _IN_FILE)
            continue
        left -= pieces
        for line in lines:
            readers[line] = readers.get(line, 0) + 1
        for never in unreachable_in(selected, robots.dialect):
            found.setdefault(never.rule.line, []).append(never)
    unreachable = [
        found[number][0]
        for line, group in group_at.items()
        if line not in skipped
        for number, _, _ in group.rules
        if len(found.get(number, ())) == readers.get(line, -1)
    ]
    return UnreachableRules(tuple(unreachable), tuple(sorted(skipped)), tuple(sorted(limits)))


def _first_line(group: RawGroup) -> int:
    """Return the number of the first line of a group."""
    return group.agents[0][0]


def _pieces(group: RawGroup) -> int:
    """Return the number of pieces into which `*` divides the patterns of a group."""
    return sum(1 + value.count(b"*") for _, _, value in group.rules)
