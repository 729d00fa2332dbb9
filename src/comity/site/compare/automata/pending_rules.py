"""Summaries of the rules whose prefixes continue beyond a node of the prefix tree.

These rules are neighbours in the automaton's order, so a summary is a maximum over a range. A tree of maxima
answers a range in logarithmic time. Without it, nested prefixes (`/a`, `/aa`, `/aaa` ...) would take
quadratic time.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

#: The rank of a rule in a list that does not have it.
ABSENT = 1 << 60


class PendingRules(NamedTuple):
    """The rules whose prefixes continue beyond a node.

    `old` and `new` are the worst rank in each list, indexed by whether the rule closes, -1 for no rule.
    `unshared` is true if one of the rules is not in both lists.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    unshared: bool


class PendingIndex:
    """The rules of a walk in the automaton's order, summarized by range.

    `old` and `new` are the ranks of the rules in each list, `closes` whether they close, and `shared` whether
    both lists have them.

    >>> index = PendingIndex([5, ABSENT, 7], [ABSENT, 2, 3], [True, False, True], [False, False, True])
    >>> index.between(0, 2)
    PendingRules(old=(-1, 5), new=(2, -1), unshared=True)
    >>> index.between(2, 3)
    PendingRules(old=(-1, 7), new=(-1, 3), unshared=False)
    """

    __slots__ = ("_new", "_old", "_unshared")

    def __init__(
        self, old: Sequence[int], new: Sequence[int], closes: Sequence[bool], shared: Sequence[bool]
    ) -> None:
        self._old = [_maxima(old, closes, verdict) for verdict in (False, True)]
        self._new = [_maxima(new, closes, verdict) for verdict in (False, True)]
        #: the number of unshared rules before each place
        self._unshared = list(accumulate([not both for both in shared], initial=0))

    def between(self, first: int, last: int) -> PendingRules:
        """Summarize the rules from `first` to before `last`."""
        return PendingRules(
            (_maximum(self._old[0], first, last), _maximum(self._old[1], first, last)),
            (_maximum(self._new[0], first, last), _maximum(self._new[1], first, last)),
            self._unshared[first] < self._unshared[last],
        )


def _maxima(ranks: Sequence[int], closes: Sequence[bool], verdict: bool) -> list[list[int]]:
    """Return the ranks of one verdict, -1 for other rules; then the maxima of pairs, of fours, and so on."""
    level = [
        rank if closed is verdict and rank != ABSENT else -1
        for rank, closed in zip(ranks, closes, strict=True)
    ]
    levels = [level]
    while len(level) > 1:
        level = list(map(max, level[::2], level[1::2]))
        levels.append(level)
    return levels


def _maximum(levels: Sequence[Sequence[int]], first: int, last: int) -> int:
    """Return the maximum of a range, -1 if it is empty."""
    worst = -1
    for level in levels:
        if first >= last:
            break
        if first % 2:
            worst = max(worst, level[first])
            first += 1
        if last % 2:
            last -= 1
            worst = max(worst, level[last])
        first //= 2
        last //= 2
    return worst
