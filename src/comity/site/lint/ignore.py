"""`# comity: ignore CODE`: comments that tell the linter what to leave out."""

from collections.abc import Iterator, Sequence

from ...protocol.robotstxt.lexer import Line
from ...protocol.robotstxt.verdict import text_of

__all__ = ["Ignore", "ignores_of"]

_MARK = b"comity: ignore"


class Ignore:
    """A comment that leaves findings of some codes out, on one line; it knows which codes it was used for.

    `comment` is the line that it stands on, `start` where in it; `line` is the line that it speaks of.
    """

    __slots__ = ("codes", "comment", "line", "start", "used", "_wanted")

    def __init__(self, comment: Line, start: int, line: int, codes: tuple[str, ...]) -> None:
        """Take what a comment says."""
        self.comment = comment
        self.start = start
        self.line = line
        self.codes = codes
        self._wanted = frozenset(codes)
        self.used: set[str] = set()

    def covers(self, code: str) -> bool:
        """Say whether a finding on the line is to be left out, and remember that it was."""
        if code not in self._wanted:
            return False
        self.used.add(code)
        return True


def ignores_of(lines: Sequence[Line]) -> Iterator[Ignore]:
    r"""Find the comments, in order of lines.

    Beside a rule they speak of its line; on a line of their own, of the next that is no such comment.

    >>> import comity
    >>> lines = comity.parse("# comity: ignore C301\nDisallow: a # comity: ignore C201, C301").lines
    >>> [(found.line, found.codes) for found in ignores_of(lines)]
    [(2, ('C301',)), (2, ('C201', 'C301'))]
    """
    waiting: list[tuple[Line, int, tuple[str, ...]]] = []
    for line in lines:
        start = _mark_in(line)
        alone = start >= 0 and not line.text[: line.comment_start].strip()
        if not alone:
            for comment, at, codes in waiting:
                yield Ignore(comment, at, line.number, codes)
            waiting = []
        if start >= 0:
            codes = _codes(line.text[start + len(_MARK) :])
            if alone:
                waiting.append((line, start, codes))
            else:
                yield Ignore(line, start, line.number, codes)
    for comment, at, codes in waiting:
        yield Ignore(comment, at, comment.number + 1, codes)


def _mark_in(line: Line) -> int:
    """Give where in a line's comment the mark begins, or -1."""
    return line.text.lower().find(_MARK, line.comment_start)


def _codes(said: bytes) -> tuple[str, ...]:
    """Read codes with commas or spaces between them; what follows another `#` is a comment on that."""
    words = said.partition(b"#")[0].replace(b",", b" ").split()
    return tuple(dict.fromkeys(text_of(word).upper() for word in words))
