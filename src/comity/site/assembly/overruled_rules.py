"""Find pairs of opposite rules from two files that both match some path.

Whether two patterns overlap follows from their beginnings and ends, because a `*` matches anything between. A
shortest common path is found by a walk over their automaton, within a maximum number of states.
"""

from collections.abc import Sequence

from ...protocol import Pattern, Value, compile_pattern, matches, query_spellings
from ...protocol.robotstxt import RFC9309
from ..compare.automata import ABSENT, STATES, Alphabet, OverlapIndex, PairedRule, ProductWalk
from .group import Merged

#: Maximum number of pairs reported, for all robots together.
_REPORTED = 1000

#: Maximum number of pairs examined, for all robots together.
_PAIRS = 2_000_000

#: The share of all states that one pair may use, so that a hard one leaves enough for the others.
_SHARE = 50

_ALPHABET = Alphabet(RFC9309)


class OverruledRule(Value):
    """A rule of one file that the opposite rule of another overrules, and a common path."""

    winner: Merged
    loser: Merged
    path: str


class OverruledSearch:
    """Searches for such pairs; `complete` is false once a maximum has been reached."""

    __slots__ = ("_pairs", "_reported", "_states", "complete")

    def __init__(self, reported: int = _REPORTED, pairs: int = _PAIRS, states: int = STATES) -> None:
        """Set the maximum number of pairs reported, of pairs examined, and of states."""
        self._reported, self._pairs, self._states = reported, pairs, states
        self.complete: bool = True

    def pairs(self, rules: Sequence[Merged]) -> list[OverruledRule]:
        """Return the pairs among the rules of one robot, which are sorted by precedence."""
        if len({file_of(source) for one in rules for source in one.sources}) < 2:
            return []
        patterns = [_patterns(one) for one in rules]
        opening = [rank for rank, one in enumerate(rules) if one.directive.value == "allow"]
        index = OverlapIndex([patterns[rank][0][0] for rank in opening])
        found: dict[tuple[int, int], OverruledRule] = {}
        files = [files_of(one) for one in rules]
        for rank, one in enumerate(rules):
            if one.directive.value == "allow":
                continue
            for closing in patterns[rank]:
                for number in index.overlapping(closing[0]):
                    if self._pairs == 0 or self._reported == 0:
                        self.complete = False
                        return [found[pair] for pair in sorted(found)]
                    self._pairs -= 1
                    other = opening[number]
                    pair = min(rank, other), max(rank, other)
                    if len(files[rank] | files[other]) < 2 or pair in found:
                        continue
                    path = self._common_path(closing, patterns[other][0])
                    if path:
                        self._reported -= 1
                        winner, loser = rules[pair[0]], rules[pair[1]]
                        found[pair] = OverruledRule(winner, loser, path)
        return [found[pair] for pair in sorted(found)]

    def _common_path(self, one: Pattern, other: Pattern) -> str:
        """Return a path that both match, if possible a shortest one, or an empty string."""
        path = any_common_path(one, other)
        if not path or len(path) <= max(_least(one), _least(other)) or not self._states:
            return path
        # The opening rule outranks the other in the second list only, so all common paths differ.
        rules = [PairedRule(one, True, 0, 1, False), PairedRule(other, False, ABSENT, 0, False)]
        walk = ProductWalk(rules, _ALPHABET, min(STATES // _SHARE, self._states))
        self._states = max(self._states - walk.cost, 0)
        return min([*walk.differences.values(), path], key=len)


def file_of(source: str) -> str:
    """Return the fragment of a `file:line:column`; an empty string for a source in the plan."""
    rest, _, column = source.rpartition(":")
    file, _, line = rest.rpartition(":")
    return file if line.isdecimal() and column.isdecimal() else ""


def files_of(one: Merged) -> frozenset[str]:
    """Return the fragments that request a directive; the plan is an empty string."""
    return frozenset(map(file_of, one.sources))


def _patterns(one: Merged) -> list[Pattern]:
    """Return the patterns of a rule, which also matches the other spellings of its query."""
    key = one.directive.key
    return [compile_pattern(pattern, wildcards=True) for pattern in (key, *sorted(query_spellings(key)))]


def any_common_path(one: Pattern, other: Pattern) -> str:
    """Return a path that two patterns match, or an empty string if they do not overlap."""
    for exact, against in ((one, other), (other, one)):
        if exact.pieces == ():
            return exact.prefix if matches(against, exact.prefix) else ""
    shorter, prefix = sorted((one.prefix, other.prefix), key=len)
    end, shorter_end = _end(one), _end(other)
    if len(end) < len(shorter_end):
        end, shorter_end = shorter_end, end
    # Each pattern has a `*` before its end, so both ends and all pieces fit behind the longer prefix.
    if not end.endswith(shorter_end) or not prefix.startswith(shorter):
        return ""
    middle = "".join(
        "".join(pieces[:-1] if anchored else pieces) for _, pieces, anchored in (one, other) if pieces
    )
    path = prefix + middle + end
    return path if path.startswith("/") else "/" + path


def _end(pattern: Pattern) -> str:
    """Return the end of all paths that a pattern with a `*` matches."""
    _, pieces, anchored = pattern
    return pieces[-1] if anchored and pieces else ""


def _least(pattern: Pattern) -> int:
    """Return a lower bound for the length of a path that the pattern matches."""
    return max(len(pattern.prefix) + sum(map(len, pattern.pieces or ())), 1)
