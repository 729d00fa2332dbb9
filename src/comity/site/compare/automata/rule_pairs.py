"""Pair the rules that two files have for one robot, with the rank of each rule in each file.

A rule is identified by its effect: its normalized pattern, the length that decides precedence, and whether
it closes. Line and spelling do not matter, and a rule that a file repeats counts once.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ....protocol.robotstxt.engine.dialect import Dialect
from ....protocol.robotstxt.engine.groups import RawGroup, Record
from ....protocol.robotstxt.engine.matcher import Pattern
from ....protocol.robotstxt.engine.precedence import RankedRule, ranked_rules
from ....protocol.robotstxt.engine.verdict import Rule
from ....protocol.text import to_text
from .alphabet import Alphabet
from .pending_rules import ABSENT
from .product_walk import PairedRule


class RuleKey(NamedTuple):
    """The effect of a rule; `length` is the number of bytes that decides precedence."""

    pattern: Pattern
    length: int
    closes: bool


#: The implicit rule that opens /robots.txt itself, before all others (RFC 9309 2.2.2).
ROBOTS_TXT_KEY = RuleKey(Pattern("/robots.txt", (), True), 1 << 30, False)

#: The rules of one robot in a file, best first, each with the first line that has it.
RuleTable = dict[RuleKey, RankedRule | None]


def rule_table(groups: Sequence[RawGroup], dialect: Dialect) -> RuleTable:
    """Return the rules of a robot by their effect, best first; `groups` are those that apply to it."""
    found: RuleTable = {ROBOTS_TXT_KEY: None} if dialect.opens_robots_txt else {}
    alphabet = Alphabet(dialect)
    for rule in ranked_rules(groups, dialect):
        found.setdefault(RuleKey(alphabet.pattern(rule.pattern), rule.octets, rule.closes), rule)
    return found


def rule_of(record: Record) -> Rule:
    """Return the public value of a rule."""
    line, name, value = record
    return Rule(name == "allow", to_text(value), line)


def pair_rules(old: RuleTable, new: RuleTable, dialect: Dialect) -> dict[RuleKey, PairedRule]:
    """Return the rules of both files, each with its rank in either."""
    if dialect.precedence == "longest":
        # One order for both files, so all common rules are in the same order.
        pairs = {}
        for rank, key in enumerate(sorted(old | new, key=_precedence)):
            in_old, in_new = key in old, key in new
            pairs[key] = PairedRule(
                key.pattern,
                key.closes,
                rank if in_old else ABSENT,
                rank if in_new else ABSENT,
                in_old and in_new,
            )
        return pairs
    old_ranks = {key: rank for rank, key in enumerate(old)}
    new_ranks = {key: rank for rank, key in enumerate(new)}
    shared = _longest_common_order([key for key in old if key in new], new_ranks)
    return {
        key: PairedRule(
            key.pattern, key.closes, old_ranks.get(key, ABSENT), new_ranks.get(key, ABSENT), key in shared
        )
        for key in old | new
    }


def _precedence(key: RuleKey) -> tuple[int, bool, str, tuple[str, ...], bool]:
    prefix, pieces, anchored = key.pattern
    return -key.length, key.closes, prefix, pieces or (), anchored


def _longest_common_order(keys: Sequence[RuleKey], ranks: dict[RuleKey, int]) -> set[RuleKey]:
    """Return a longest subsequence of the keys whose ranks increase."""
    tops: list[int] = []  # the lowest rank that ends a subsequence of each length
    ends: list[RuleKey] = []
    before: dict[RuleKey, RuleKey | None] = {}
    for key in keys:
        at = bisect_left(tops, ranks[key])
        before[key] = ends[at - 1] if at else None
        tops[at : at + 1] = [ranks[key]]
        ends[at : at + 1] = [key]
    found: set[RuleKey] = set()
    last = ends[-1] if ends else None
    while last is not None:
        found.add(last)
        last = before[last]
    return found
