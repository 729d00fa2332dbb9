"""What is said to one robot -> the pairs of opposite rules of two files that both match some path.

Whether two patterns meet is seen from how they begin and end, as a `*` takes whatever stands between. A
shortest path for both is walked to in their automaton, as long as that may take.
"""

from collections.abc import Sequence

from ...protocol.robotstxt.dialect import RFC9309
from ...protocol.robotstxt.matcher import Pattern, compile_pattern, matches
from ...protocol.robotstxt.paths import query_spellings
from ...protocol.value import Value
from ..compare.automata.alphabet import Alphabet
from ..compare.automata.overlap_index import OverlapIndex
from ..compare.automata.product_walk import ABSENT, STATES, PairedRule, ProductWalk
from .group import Settled

__all__ = ["Overruled", "Search"]

#: So many pairs are told at the most, of all robots together: nobody reads more.
_TOLD = 1000

#: So many pairs are looked at, of all robots together.
_PAIRS = 2_000_000

#: One pair may take so small a part of all places, so that one that is hard leaves enough for the others.
_SHARE = 50

_ALPHABET = Alphabet(RFC9309)


class Overruled(Value):
    """A rule of one file that wins over the opposite rule of another, the places of both, and a path."""

    __slots__ = ("winner", "loser", "winner_place", "loser_place", "path")
    winner: Settled
    loser: Settled
    winner_place: str
    loser_place: str
    path: str


class Search:
    """Looks for such pairs; `complete` says whether all of them were found."""

    __slots__ = ("_pairs", "_states", "_told", "complete")

    def __init__(self, told: int = _TOLD, pairs: int = _PAIRS, states: int = STATES) -> None:
        """Begin with so much to tell, to look at and to walk."""
        self._told, self._pairs, self._states = told, pairs, states
        self.complete = True

    def among(self, rules: Sequence[Settled]) -> list[Overruled]:
        """Give the pairs among the rules of one robot, which are in the order in which they win."""
        if len({_file(place) for one in rules for place in one.places}) < 2:
            return []
        patterns = [_patterns(one) for one in rules]
        opening = [rank for rank, one in enumerate(rules) if one.clause.value == "allow"]
        near = OverlapIndex([patterns[rank][0][0] for rank in opening])
        found: dict[tuple[int, int], Overruled] = {}
        files = [{_file(place) for place in one.places} for one in rules]
        for rank, one in enumerate(rules):
            if one.clause.value == "allow":
                continue
            for closing in patterns[rank]:
                for number in near.overlapping(closing[0]):
                    if self._pairs == 0 or self._told == 0:
                        self.complete = False
                        return [found[pair] for pair in sorted(found)]
                    self._pairs -= 1
                    other = opening[number]
                    pair = min(rank, other), max(rank, other)
                    if len(files[rank] | files[other]) < 2 or pair in found:
                        continue
                    path = self._path(closing, patterns[other][0])
                    if path:
                        self._told -= 1
                        winner, loser = rules[pair[0]], rules[pair[1]]
                        found[pair] = Overruled(winner, loser, *_apart(winner, loser), path)
        return [found[pair] for pair in sorted(found)]

    def _path(self, one: Pattern, other: Pattern) -> str:
        """Give a path that both match, a shortest one if the walk may take so long; or nothing."""
        path = _meeting(one, other)
        if not path or len(path) <= max(_least(one), _least(other)) or not self._states:
            return path
        # What one closes, and both do not: the opening pattern outranks the other in the second list alone.
        rules = [PairedRule(one, True, 0, 1, False), PairedRule(other, False, ABSENT, 0, False)]
        contest = ProductWalk(rules, _ALPHABET, min(STATES // _SHARE, self._states))
        self._states = max(self._states - contest.cost, 0)
        return min([*contest.differences.values(), path], key=len)


def _file(place: str) -> str:
    """Give the fragment of a place; nothing for a place of the plan, which ends with no line."""
    file, _, line = place.rpartition(":")
    return file if line.isdecimal() else ""


def _patterns(one: Settled) -> list[Pattern]:
    """Give the patterns of a rule: what closes is read with the other spellings of its query too."""
    key = one.clause.key
    more = query_spellings(key) if one.clause.value == "disallow" else ()
    return [compile_pattern(pattern, wildcards=True) for pattern in (key, *sorted(more))]


def _apart(one: Settled, other: Settled) -> tuple[str, str]:
    """Give the first places of two rules that are of two files, of which there are some."""
    return next(
        (first, second) for first in one.places for second in other.places if _file(first) != _file(second)
    )


def _meeting(one: Pattern, other: Pattern) -> str:
    """Give a path that two patterns match, or nothing if there is none."""
    for exact, against in ((one, other), (other, one)):
        if exact[1] == ():
            return exact[0] if matches(against, exact[0]) else ""
    head, shorter = (one[0], other[0]) if len(one[0]) > len(other[0]) else (other[0], one[0])
    end, shorter_end = _end(one), _end(other)
    if len(end) < len(shorter_end):
        end, shorter_end = shorter_end, end
    # Each has a `*` before its end, so that both ends and all pieces find a place behind the longer head.
    if not end.endswith(shorter_end) or not head.startswith(shorter):
        return ""
    middle = "".join(
        "".join(pieces[:-1] if anchored else pieces) for _, pieces, anchored in (one, other) if pieces
    )
    path = head + middle + end
    return path if path.startswith("/") else "/" + path


def _end(pattern: Pattern) -> str:
    """Give what each path that a pattern with a `*` matches ends with."""
    _, pieces, anchored = pattern
    return pieces[-1] if anchored and pieces else ""


def _least(pattern: Pattern) -> int:
    """Give a length that no path which the pattern matches is below."""
    return max(len(pattern[0]) + sum(map(len, pattern[1] or ())), 1)
