"""`# comity: ignore CODE` and `ignore-file CODE`: comments that tell the linter what to leave out."""

from collections.abc import Iterator, Sequence

from ...protocol.robotstxt.lexer import Line
from ...protocol.text import to_text

__all__ = ["Ignore", "ignores_of"]

_MARK = b"comity:"
_WORD = b"ignore"
_FILE = b"-file"


class Ignore:
    """A comment that leaves findings of some rules out, on one line; it knows which words it was used for.

    `comment` is the line that it stands on, `start` where in it; `line` is the line that it speaks of, 0 for
    the whole file. `words` are what rules are chosen by, in upper case: codes, beginnings of codes, names.
    """

    __slots__ = ("comment", "line", "start", "used", "words", "_wanted")

    def __init__(self, comment: Line, start: int, line: int, words: tuple[str, ...]) -> None:
        """Take what a comment says."""
        self.comment = comment
        self.start = start
        self.line = line
        self.words = words
        self._wanted = frozenset(words)
        self.used: set[str] = set()

    def covers(self, words: frozenset[str]) -> bool:
        """Say whether a finding of the rule with these words is to be left out, and remember that it was."""
        found = words & self._wanted
        self.used |= found
        return bool(found)


def ignores_of(lines: Sequence[Line]) -> Iterator[Ignore]:
    r"""Find the comments, in order of lines.

    Beside a rule they speak of its line; on a line of their own, of the next that is no comment. A blank line
    is one to speak of. With `ignore-file` they speak of line 0, which is the whole file. A reason may follow,
    after a colon or a dash.

    >>> import comity
    >>> lines = comity.parse("# comity: ignore C301\nDisallow: a # comity: ignore C201, C301").lines
    >>> [(found.line, found.words) for found in ignores_of(lines)]
    [(2, ('C301',)), (2, ('C201', 'C301'))]
    """
    waiting: list[tuple[Line, int, tuple[str, ...]]] = []
    for line in lines:
        start, said = _mark_in(line)
        comment_alone = line.text[line.comment_start :] and not line.text[: line.comment_start].strip()
        if not comment_alone:
            for comment, at, words in waiting:
                yield Ignore(comment, at, line.number, words)
            waiting = []
        if start < 0:
            continue
        if said.startswith(_FILE):
            yield Ignore(line, start, 0, _words(said[len(_FILE) :]))
        elif comment_alone:
            waiting.append((line, start, _words(said)))
        else:
            yield Ignore(line, start, line.number, _words(said))
    for comment, at, words in waiting:
        yield Ignore(comment, at, lines[-1].number + 1, words)


def _mark_in(line: Line) -> tuple[int, bytes]:
    """Give where in a line's comment the mark begins, or -1, and what is said after it, in lower case."""
    text = line.text.lower()
    start = text.find(_MARK, line.comment_start)
    while start >= 0:
        at = start + len(_MARK)
        while text[at : at + 1] in (b" ", b"\t"):
            at += 1
        end = at + len(_WORD)
        if text[at:end] == _WORD and not text[end : end + 1].isalpha():  # `ignored` is another word
            return start, text[end:]
        start = text.find(_MARK, at)
    return -1, b""


def _words(said: bytes) -> tuple[str, ...]:
    """Read words with commas or spaces between them, until a colon, a dash or `#` begins a reason."""
    for mark in (b"#", b":", b"\xe2\x80\x93", b"\xe2\x80\x94"):
        said = said.partition(mark)[0]
    words: dict[str, None] = {}
    for word in said.replace(b",", b" ").split():
        if word.startswith(b"-"):
            break
        words[to_text(word.rstrip(b"-")).upper()] = None
        if word.endswith(b"-"):
            break
    return tuple(words)
