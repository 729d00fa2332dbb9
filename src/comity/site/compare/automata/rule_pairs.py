"""The rules that two files have for one robot -> contenders: what is compared, and by which lines.

A rule is known by what it does: its pattern as it is compared, the octets that it counts with, and whether
it closes. So it is the same rule in both files whatever its line or spelling, and one that a file has twice
counts once.
"""

from bisect import bisect_left
from collections.abc import Sequence

from ....protocol.robotstxt.dialect import Dialect
from ....protocol.robotstxt.groups import Record
from ....protocol.robotstxt.matcher import Pattern
from ....protocol.robotstxt.precedence import Ranked, closes, ranked
from ....protocol.robotstxt.rules import Rules
from ....protocol.robotstxt.verdict import Rule, text_of
from .alphabet import Alphabet
from .product_walk import ABSENT, Contender

__all__ = ["ITSELF", "Ballot", "Key", "ballot", "contenders", "rule_of"]

#: What a rule does: (its pattern, the octets it counts with, whether it closes)
Key = tuple[Pattern, int, bool]

#: What opens /robots.txt itself, before any rule (RFC 9309 2.2.2).
ITSELF: Key = (("/robots.txt", (), True), 1 << 30, False)

#: The rules of one robot in a file, best first, each with the first line that says it.
Ballot = dict[Key, Ranked | None]


def ballot(rules: Rules) -> Ballot:
    """Give the rules of a robot by what they do, best first."""
    found: Ballot = {ITSELF: None} if rules.dialect.opens_robots_txt else {}
    alphabet = Alphabet(rules.dialect)
    for rule in ranked(rules.raw_groups, rules.dialect):
        found.setdefault((alphabet.pattern(rule[0]), rule[1], closes(rule[2])), rule)
    return found


def rule_of(record: Record) -> Rule:
    """Give the public value of a rule."""
    line, name, value = record
    return Rule(name == "allow", text_of(value), line)


def contenders(old: Ballot, new: Ballot, dialect: Dialect) -> dict[Key, Contender]:
    """Put the rules of two ballots together, each with its rank in either."""
    if dialect.precedence == "longest":
        # One order for both, so that whatever both have they have in the same order.
        order = sorted(old | new, key=_precedence)
        return {
            key: Contender(
                key[0], key[2], rank if key in old else ABSENT, rank if key in new else ABSENT,
                key in old and key in new,
            )
            for rank, key in enumerate(order)
        }  # fmt: skip
    old_ranks = {key: rank for rank, key in enumerate(old)}
    new_ranks = {key: rank for rank, key in enumerate(new)}
    same = _same_order([key for key in old if key in new], new_ranks)
    return {
        key: Contender(key[0], key[2], old_ranks.get(key, ABSENT), new_ranks.get(key, ABSENT), key in same)
        for key in old | new
    }


def _precedence(key: Key) -> tuple[int, bool, str, tuple[str, ...], bool]:
    (head, pieces, anchored), length, closed = key
    return -length, closed, head, pieces or (), anchored


def _same_order(keys: Sequence[Key], ranks: dict[Key, int]) -> set[Key]:
    """Give the most keys that are in the order of the ranks: a longest increasing subsequence."""
    tops: list[int] = []  # the least rank that ends a subsequence of each length
    ends: list[Key] = []
    before: dict[Key, Key | None] = {}
    for key in keys:
        at = bisect_left(tops, ranks[key])
        before[key] = ends[at - 1] if at else None
        tops[at : at + 1] = [ranks[key]]
        ends[at : at + 1] = [key]
    found: set[Key] = set()
    last = ends[-1] if ends else None
    while last is not None:
        found.add(last)
        last = before[last]
    return found
