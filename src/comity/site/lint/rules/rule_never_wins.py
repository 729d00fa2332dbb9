"""A rule can never win: others match all that it matches, come before it, and at least one says the opposite.

Why: The longest matching pattern decides, and its own octets count, a star at the end included. A rule that
is always overruled looks as if it did something.

Example:
    User-agent: *
    Allow: /shop/
    Disallow: /shop/*
Instead:
    User-agent: *
    Allow: /shop/open/
    Disallow: /shop/*
Engines: RFC 9309 readers and Google; some libraries drop the star before they count.
Source: RFC 9309 2.2.2; google/robotstxt; differences between parsers.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.verdict import Group
from ...never import never_wins
from ..remark import Remark, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C316"
SEVERITY = "warning"

#: So many pieces of patterns are looked at for one robot, and in all: it is exact, and takes its time.
_PIECES = 5_000
_ALL = 20_000


def check(subject: Subject) -> Iterator[Remark]:
    """Ask exactly, for each set of groups that speaks to a robot, but for the same path twice."""
    asked: set[tuple[int, ...]] = set()
    told: set[int] = set()
    left = _ALL
    sizes = {block.group.line: _pieces(block.group) for block in subject.blocks}
    for name, mentions in subject.named.items():
        groups = tuple(dict.fromkeys(block.group.line for block, _ in mentions))
        if groups in asked:
            continue
        asked.add(groups)
        if sum(sizes[line] for line in groups) > min(_PIECES, left):
            continue
        rules = subject.robots.rules_for(name)  # a name may be the beginning of others, and speak for them
        pieces = sum(sizes[group.line] for group in rules.groups)
        if pieces > min(_PIECES, left):
            continue
        left -= pieces
        for never in never_wins(rules):
            opposite = [rule for rule in never.by if rule.allow != never.rule.allow]
            same = any(rule.pattern == never.rule.pattern for rule in never.by)
            if opposite and not same and never.rule.line not in told:
                told.add(never.rule.line)
                others = ", ".join(f"line {rule.line}" for rule in never.by[:5])
                line = subject.lines[never.rule.line - 1]
                yield at_text(line, f"this rule never wins: what it matches, {others} matches better")


def _pieces(group: Group) -> int:
    """Count the pieces that stars cut the patterns of a group into."""
    return sum(1 + rule.pattern.count("*") for rule in group.rules)
