"""Patterns -> the pattern that wins a path.

The patterns come in order of precedence. While they are few, and for the first questions, they are tried one
after the other. Then an index is built, and the time for a question hardly depends on the number of literal
patterns.

A pattern with `*` is matched by finding its pieces from left to right, each as early as possible. There is no
regular expression and no backtracking, so the time is at most path times pattern, even for hostile files.
"""

from collections import namedtuple
from collections.abc import Sequence

from .grammar import END_OF_PATTERN, WILDCARD
from .prefix_index import PrefixIndex

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
