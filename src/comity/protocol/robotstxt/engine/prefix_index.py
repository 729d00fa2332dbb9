"""An index of patterns by their literal prefix: finds the patterns that can match a path.

The prefixes are sorted, and the parent of each is the longest of the others that it begins with. Among the
prefixes that are not greater than a path, take the last: the prefixes that the path begins with are this one
or its ancestors. So a path takes one binary search, however many patterns there are.

Nested prefixes (`/a`, `/aa`, `/aaa` ...) have many ancestors. Each prefix therefore knows an ancestor farther
up too, which makes the search among its ancestors binary as well, and the best literal pattern among them.
"""

from bisect import bisect_right
from collections.abc import Sequence


class PrefixIndex:
    """The ranks of patterns, found by the literal prefix of each pattern.

    >>> index = PrefixIndex(["/shop/cart", "/shop/", "/blog", "/"], [False, True, True, True])
    >>> sorted(index.candidates("/shop/cart?id=1"))
    [0, 1, 3]
    >>> index.contenders("/shop/cart?id=1")
    (1, [0])
    """

    __slots__ = ("_best", "_firsts", "_jumps", "_parents", "_prefixes", "_ranks", "_wild")

    def __init__(self, prefixes: Sequence[str], literal: Sequence[bool]) -> None:
        """Index patterns by rank: the prefix of each, and whether the pattern is literal, so only a prefix.

        Number 0 is the root, which no pattern has. Every path begins with it.
        """
        none = len(prefixes)
        ranks = [rank for rank in range(none) if literal[rank]] + [
            rank for rank in range(none) if not literal[rank]
        ]
        ranks.sort(key=prefixes.__getitem__)  # of equal prefixes, those of literal patterns stay first
        self._ranks = [none, *ranks]
        self._prefixes = ["", *[prefixes[rank] for rank in ranks]]
        self._parents = [0]
        #: An ancestor farther up: the steps from it to the root are a skew binary number (Myers, 1983).
        self._jumps = [0]
        #: The best rank of a literal pattern among a prefix and its ancestors.
        self._best = [none]
        #: The nearest pattern with wildcards among a prefix and its ancestors, and the first with its prefix.
        self._wild = [0]
        self._firsts = [0]
        depths = [0]
        for number, rank in enumerate(ranks, 1):
            parent = number - 1
            while not self._prefixes[number].startswith(self._prefixes[parent]):
                parent = self._parents[parent]
            jump = self._jumps[parent]
            even = depths[parent] - depths[jump] == depths[jump] - depths[self._jumps[jump]]
            self._parents.append(parent)
            self._jumps.append(self._jumps[jump] if even else parent)
            depths.append(depths[parent] + 1)
            if literal[rank]:
                self._best.append(min(rank, self._best[parent]))
                self._wild.append(self._wild[parent])
                self._firsts.append(0)
            else:
                beside = self._wild[parent] == parent and self._prefixes[parent] == self._prefixes[number]
                self._best.append(self._best[parent])
                self._wild.append(number)
                self._firsts.append(self._firsts[parent] if parent and beside else number)

    def candidates(self, path: str) -> list[int]:
        """Return the ranks of all patterns whose prefix the path begins with, in no particular order."""
        found: list[int] = []
        number = self._longest(path)
        while number:
            found.append(self._ranks[number])
            number = self._parents[number]
        return found

    def contenders(self, path: str) -> tuple[int, list[int]]:
        """Return the best rank of a literal pattern that matches, and those of patterns that may match.

        The first is the number of patterns if no literal pattern matches.
        """
        number = self._longest(path)
        best = self._best[number]
        found: list[int] = []
        number = self._wild[number]
        while number:
            first = self._firsts[number]
            found += self._ranks[first : number + 1]
            number = self._wild[self._parents[first]]
        return best, found

    def _longest(self, path: str) -> int:
        """Return the number of the longest prefix that the path begins with."""
        prefixes = self._prefixes
        number = bisect_right(prefixes, path) - 1
        while not path.startswith(prefixes[number]):
            jump = self._jumps[number]
            number = self._parents[number] if path.startswith(prefixes[jump]) else jump
        return number
