"""Patterns -> the pattern that wins a path.

The patterns come in order of precedence. While they are few, and for the first questions, they are tried one
after the other. Then an index is built, and the time for a question hardly depends on the number of literal
patterns.

The index has the literal prefixes of the patterns, sorted. The parent of each is the longest of the others
that it begins with. Among the prefixes that are not greater than a path, take the last: the prefixes that
the path begins with are this one or its ancestors. So a path takes one binary search, however many patterns
there are.

Nested prefixes (`/a`, `/aa`, `/aaa` ...) have many ancestors. Each prefix therefore knows an ancestor
farther up too, which makes the search among its ancestors binary as well, and the best literal pattern among
them.

A pattern with `*` is matched by finding its pieces from left to right, each as early as possible. There is
no regular expression and no backtracking, so the time is at most path times pattern, even for hostile files.
"""

from bisect import bisect_right
from collections import namedtuple
from collections.abc import Sequence

from .grammar import END_OF_PATTERN, WILDCARD

TYPE_CHECKING = False


if TYPE_CHECKING:
    from typing import NamedTuple

    class Pattern(NamedTuple):
        """A compiled pattern.

        `prefix` is the literal text before the first `*`. `pieces` are the texts that must follow in this
        order, or `None` for a literal pattern. With `anchored`, the path must end where the last piece ends.
        """

        prefix: str
        pieces: tuple[str, ...] | None
        anchored: bool

else:
    Pattern = namedtuple("Pattern", ("prefix", "pieces", "anchored"))

__all__ = ["Matcher", "Parts", "Pattern", "compile_pattern", "matches", "split_pattern"]

#: The parts of a pattern, in the order of `Pattern`. A plain tuple costs the garbage collector nothing, and
#: a file can have thousands.
Parts = tuple[str, tuple[str, ...] | None, bool]

#: Maximum number of patterns that are tried one by one, which is as quick as an index.
_FEW = 48

#: Number of questions before an index is built, since building it costs as much.
_QUESTIONS_BEFORE_INDEX = 8


def compile_pattern(pattern: str, wildcards: bool) -> Pattern:
    """Split a pattern at its wildcards, and name the parts.

    >>> compile_pattern("/a*b*.php$", True)
    Pattern(prefix='/a', pieces=('b', '.php'), anchored=True)
    >>> compile_pattern("/a*b", False)
    Pattern(prefix='/a*b', pieces=None, anchored=False)
    """
    return Pattern(*split_pattern(pattern, wildcards))


def split_pattern(pattern: str, wildcards: bool) -> Parts:
    """Split a pattern at its wildcards."""
    if not wildcards or not (WILDCARD in pattern or END_OF_PATTERN in pattern):
        return pattern, None, False
    anchored = pattern.endswith(END_OF_PATTERN)
    if anchored:
        pattern = pattern[:-1]
    pieces = pattern.split(WILDCARD)
    prefix = pieces.pop(0)
    if not pieces:
        return prefix, () if anchored else None, anchored
    if anchored and not pieces[-1]:
        anchored = False  # `*$` is the same as `*`
    return prefix, tuple(filter(None, pieces)) or None, anchored


def matches(pattern: Parts, path: str) -> bool:
    """Return whether a path matches a pattern.

    >>> matches(compile_pattern("/*.php$", True), "/a.php/b.php")
    True
    """
    prefix, pieces, anchored = pattern
    if not path.startswith(prefix):
        return False
    if pieces is None:
        return True
    at = len(prefix)
    if anchored:
        if not pieces:
            return len(path) == at
        last = pieces[-1]
        pieces = pieces[:-1]
        end = len(path) - len(last)
        if end < at or not path.endswith(last):
            return False
    else:
        end = len(path)
    for piece in pieces:
        at = path.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


class Matcher:
    """The patterns for one robot in order of precedence, ready for many questions."""

    __slots__ = (
        "_index",
        "_literal_closing",
        "_only_closes",
        "_patterns",
        "_questions",
        "_required",
        "_wildcard_closing",
        "closes",
        "closing_prefixes",
    )

    def __init__(self, patterns: Sequence[Parts], closes: Sequence[bool]) -> None:
        """Store the patterns, and for each whether it closes (disallows) the paths that it wins."""
        self._patterns = tuple(patterns)
        self.closes: tuple[bool, ...] = tuple(closes)
        self._only_closes = all(closes)
        #: A text that each matching path contains, besides the prefix; `None` if the prefix is enough.
        self._required = [
            None if pieces is None else max(pieces, key=len, default=prefix)
            for prefix, pieces, _ in self._patterns
        ]
        closing = [rank for rank, closed in enumerate(self.closes) if closed]
        self._literal_closing = tuple([patterns[rank][0] for rank in closing if self._required[rank] is None])
        self._wildcard_closing = [
            (required, patterns[rank]) for rank in closing if (required := self._required[rank]) is not None
        ]
        #: The prefixes of all closing patterns, or `None` if there are many. Any other path is open.
        self.closing_prefixes: tuple[str, ...] | None = (
            tuple({patterns[rank][0] for rank in closing}) if len(patterns) <= _FEW else None
        )
        self._questions = 0
        self._index: PrefixIndex | None = None

    def allowed(self, path: str) -> bool:
        """Return whether the winning pattern leaves the path open, or no pattern matches."""
        if self._index is None:
            # Whether any pattern closes the path is quicker to find out than which pattern wins.
            if not path.startswith(self._literal_closing):
                for required, pattern in self._wildcard_closing:
                    if required in path and matches(pattern, path):
                        break
                else:
                    self._count_question()
                    return True
            if self._only_closes:
                self._count_question()
                return False
        rank = self.winner(path)
        return rank < 0 or not self.closes[rank]

    def winner(self, path: str) -> int:
        """Return the rank of the pattern that wins the path, or -1 if no pattern matches."""
        if self._index is None:
            self._count_question()
            for rank, (prefix, pieces, _) in enumerate(self._patterns):
                if path.startswith(prefix) and (pieces is None or matches(self._patterns[rank], path)):
                    return rank
            return -1
        best, others = self._index.contenders(path)
        if len(others) > 1:
            others.sort()
        for rank in others:
            if rank > best:
                break
            required = self._required[rank]
            if required is None or (required in path and matches(self._patterns[rank], path)):
                return rank
        return best if best < len(self._patterns) else -1

    def matching(self, path: str) -> list[int]:
        """Return the ranks of all patterns that match the path, best first."""
        if self._index is not None:
            candidates = sorted(self._index.candidates(path))
            return [rank for rank in candidates if matches(self._patterns[rank], path)]
        self._count_question()
        return [rank for rank, pattern in enumerate(self._patterns) if matches(pattern, path)]

    def _count_question(self) -> None:
        # Two threads may count at once and both build the index. They build the same one.
        self._questions += 1
        if self._questions > _QUESTIONS_BEFORE_INDEX and len(self._patterns) > _FEW:
            self._index = PrefixIndex(
                [prefix for prefix, _, _ in self._patterns],
                [pieces is None for _, pieces, _ in self._patterns],
            )


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
