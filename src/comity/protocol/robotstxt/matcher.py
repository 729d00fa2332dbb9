"""Patterns -> the pattern that wins a path.

The patterns come in order, the one that wins over all others first. A few patterns, and the first
few questions, are answered by trying one after the other; then an index is built, and a question
takes about the same time however many literal patterns there are.

A pattern with `*` is matched by finding its pieces from left to right, each as early as it can be:
never a regular expression, never backtracking, so time is at most path times pattern whatever the
site writes. (RFC 9309 5 asks for nothing of the kind; hostile files do.)
"""

from collections.abc import Sequence

from .grammar import END_OF_PATTERN, WILDCARD
from .prefix_index import Heads

__all__ = ["Matcher", "Pattern", "compile_pattern", "matches"]

#: (what the path begins with, the pieces that follow in order or `None` for a plain prefix, must
#: the path end where the last piece does)
Pattern = tuple[str, tuple[str, ...] | None, bool]

#: Up to so many patterns, trying each is as quick as the index.
_FEW = 48

#: So many questions are answered by trying each, since building the index costs as much.
_PATIENCE = 8


def compile_pattern(pattern: str, wildcards: bool) -> Pattern:
    """Take a pattern apart, once.

    >>> compile_pattern("/a*b*.php$", True)
    ('/a', ('b', '.php'), True)
    >>> compile_pattern("/a*b", False)
    ('/a*b', None, False)
    """
    if not wildcards:
        return pattern, None, False
    anchored = pattern.endswith(END_OF_PATTERN)
    if anchored:
        pattern = pattern[:-1]
    head, *pieces = pattern.split(WILDCARD)
    if not pieces:
        return head, () if anchored else None, anchored
    if anchored and not pieces[-1]:
        anchored = False  # `*$` is the same as `*`
    return head, tuple(piece for piece in pieces if piece) or None, anchored


def matches(pattern: Pattern, path: str) -> bool:
    """Say whether a path matches a pattern.

    >>> matches(compile_pattern("/*.php$", True), "/a.php/b.php")
    True
    """
    head, pieces, anchored = pattern
    if not path.startswith(head):
        return False
    if pieces is None:
        return True
    at = len(head)
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
    """The patterns that apply to one robot, best first, ready for many questions."""

    __slots__ = (
        "_index",
        "_literal_closing",
        "_only_closes",
        "_pieces",
        "_questions",
        "_tried_closing",
        "closes",
        "heads",
        "patterns",
    )

    def __init__(self, patterns: Sequence[Pattern], closes: Sequence[bool]) -> None:
        """Take the patterns, best first, and of each whether it closes what it wins."""
        self.patterns = tuple(patterns)
        #: whether the pattern of that rank closes (disallows) what it wins
        self.closes = tuple(closes)
        self._only_closes = all(closes)
        #: what a path with a pattern's head must hold besides to match: its longest piece, if any
        self._pieces = [
            "" if pieces is None else max(pieces, key=len, default=head) for head, pieces, _ in self.patterns
        ]
        closing = [rank for rank, closed in enumerate(self.closes) if closed]
        self._literal_closing = tuple([patterns[rank][0] for rank in closing if patterns[rank][1] is None])
        self._tried_closing = [
            (self._pieces[rank], patterns[rank]) for rank in closing if patterns[rank][1] is not None
        ]
        #: a path that begins with none of these is open: nothing that closes can match it
        self.heads = tuple({patterns[rank][0] for rank in closing}) if len(patterns) <= _FEW else None
        self._questions = 0
        self._index: Heads | None = None

    def allowed(self, path: str) -> bool:
        """Say whether the winning pattern, if there is one, leaves the path open."""
        if self._index is None:
            # Whether anything closes the path is quicker to see than who wins.
            if not path.startswith(self._literal_closing):
                for piece, pattern in self._tried_closing:
                    if piece in path and matches(pattern, path):
                        break
                else:
                    self._count_question()
                    return True
            if self._only_closes:
                self._count_question()
                return False
            rank = self.winner(path)
        else:
            found = self._index.candidates(path)
            if not found:
                return True
            rank = self._best(found, path)
            if self._only_closes:
                return rank < 0
        return rank < 0 or not self.closes[rank]

    def winner(self, path: str) -> int:
        """Give the rank of the pattern that wins the path, or -1 if none matches."""
        if self._index is not None:
            return self._best(self._index.candidates(path), path)
        self._count_question()
        for rank, pattern in enumerate(self.patterns):
            if path.startswith(pattern[0]) and (pattern[1] is None or matches(pattern, path)):
                return rank
        return -1

    def _best(self, ranks: list[int], path: str) -> int:
        """Give the best of these ranks, whose heads the path has, whose pattern it matches, or -1."""
        if len(ranks) > 1:
            ranks.sort()
        for rank in ranks:
            piece = self._pieces[rank]
            if self.patterns[rank][1] is None or (piece in path and matches(self.patterns[rank], path)):
                return rank
        return -1

    def matching(self, path: str) -> list[int]:
        """Give the ranks of all patterns that match the path, best first."""
        if self._index is not None:
            found = sorted(self._index.candidates(path))
            return [rank for rank in found if matches(self.patterns[rank], path)]
        self._count_question()
        return [rank for rank, pattern in enumerate(self.patterns) if matches(pattern, path)]

    def _count_question(self) -> None:
        # Two threads may count at once and both build the index: the same one, so no harm is done.
        self._questions += 1
        if self._questions > _PATIENCE and len(self.patterns) > _FEW:
            self._index = Heads([head for head, _, _ in self.patterns], range(len(self.patterns)))
