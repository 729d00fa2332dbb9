"""Differences as the walk finds them -> `Shift`: patterns as written, exceptions, and lines."""

from collections.abc import Iterable

from ...protocol.robotstxt.groups import Record
from ...protocol.robotstxt.matcher import Pattern, matches
from ...protocol.robotstxt.precedence import Ranked
from ...protocol.robotstxt.verdict import Rule, text_of
from .automata.alphabet import Alphabet
from .automata.neighbours import Neighbours
from .automata.rule_pairs import Ballot, Key, rule_of
from .path_change import Shift

__all__ = ["Found", "described", "key_closes"]

#: The rules that decide in either file, `None` for no rule, and a path on which they do.
Found = dict[tuple[Key | None, Key | None], str]

#: What matches every path.
_EVERY: Pattern = ("/", None, False)

#: So many exceptions are written down for all sets of one change.
_LISTED = 50_000


def described(old: Ballot, new: Ballot, alphabet: Alphabet, found: Found) -> list[Shift]:
    """Give differences as values: those with the shortest paths first."""
    if not found:
        return []
    sides = old, new
    ranks = [{key: rank for rank, key in enumerate(side)} for side in sides]
    rivals = [[_Rivals(side, closes) for closes in (False, True)] for side in sides]
    left = _LISTED
    shifts = []
    for pair, path in sorted(found.items(), key=lambda item: (len(item[1]), item[1])):
        closes = key_closes(pair[1])
        patterns = _narrowest({
            key[0]: _text(side[key], key) for side, key in zip(sides, pair, strict=True) if key is not None
        })  # fmt: skip
        # What outranks a decider and says otherwise leaves the old verdict as it is, or the new one.
        exceptions: list[Rule] = []
        unlisted = 0
        for at, otherwise in ((0, closes), (1, not closes)):
            key = pair[at]
            rank = len(ranks[at]) if key is None else ranks[at][key]
            listed, more = rivals[at][otherwise].among(patterns, rank, left - len(exceptions))
            exceptions += listed
            unlisted += more
        left -= len(exceptions)
        before, after = (
            None if key is None else _rule(side, key) for side, key in zip(sides, pair, strict=True)
        )
        texts = tuple(patterns.values()) or ("/",)
        whole = all(key is None or contains(key[0], _EVERY) for key in pair)
        witness = alphabet.url(path)
        shifts.append(Shift(closes, texts, tuple(exceptions), unlisted, before, after, witness, whole))
    return shifts


def key_closes(key: Key | None) -> bool:
    """Say whether a rule closes what it decides; no rule does not."""
    return key is not None and key[2]


def _rule(side: Ballot, key: Key) -> Rule | None:
    rule = side[key]
    return rule and rule_of(rule[2])


def _text(rule: Ranked | None, key: Key) -> str:
    """Write a pattern as the file has it; `Allow: /a/index.html` may stand for `/a/$`."""
    if rule is None or rule[4]:
        return key[0][0] + "$"
    return text_of(rule[2][2])


def _narrowest(patterns: dict[Pattern, str]) -> dict[Pattern, str]:
    """Leave out what matches all that another of two patterns does, as an empty Disallow of old does."""
    kept = {pattern: text for pattern, text in patterns.items() if text}
    if len(kept) == 2:
        old, new = kept
        if contains(old, new):
            del kept[old]
        elif contains(new, old):
            del kept[new]
    return kept


class _Rivals:
    """The rules of one verdict in one file, to be found by what they may have in common with a pattern."""

    __slots__ = ("_neighbours", "_rules")

    def __init__(self, side: Ballot, closes: bool) -> None:
        """Take those rules of a ballot that close, or those that open."""
        self._rules = [
            (rank, key[0], rule[2])
            for rank, (key, rule) in enumerate(side.items())
            if rule is not None and key[2] is closes
        ]
        self._neighbours = Neighbours([pattern[0] for _, pattern, _ in self._rules])

    def among(self, patterns: Iterable[Pattern], rank: int, most: int) -> tuple[list[Rule], int]:
        """Give the rules of a better rank that may match a path which matches all the patterns.

        At most so many, best first; and how many more there may be. One that matches no such path does no
        harm among exceptions, so what is not seen quickly is not looked for.
        """
        wanted = list(patterns)
        found: list[tuple[int, Record]] = []
        unlisted = 0
        for at in self._neighbours.of(max((pattern[0] for pattern in wanted), key=len, default="")):
            other, pattern, rule = self._rules[at]
            if other < rank and all(_meet(pattern, one) for one in wanted):
                if len(found) < most:
                    found.append((other, rule))
                else:
                    unlisted += 1
        return _rules(found), unlisted


def _rules(found: Iterable[tuple[int, Record]]) -> list[Rule]:
    """Give rules by rank, each once."""
    return list({record[0]: rule_of(record) for _, record in sorted(found)}.values())


def _meet(one: Pattern, other: Pattern) -> bool:
    """Say whether two patterns, whose heads do not contradict each other, may have a path in common."""
    if one[1] == ():
        return matches(other, one[0])
    if other[1] == ():
        return matches(one, other[0])
    if one[2] and other[2]:
        ends = (one[1] or ("",))[-1], (other[1] or ("",))[-1]
        return ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    return True


def contains(one: Pattern, other: Pattern) -> bool:
    """Say whether a pattern plainly matches all that another does; if that takes thought, no."""
    if one == other:
        return True
    head, pieces, _ = other
    if pieces == ():
        return matches(one, head)
    # What stands in a gap is a character that no pattern has, so nothing is found there.
    return not one[2] and matches(one, "\uffff".join((head, *(pieces or ()))))
