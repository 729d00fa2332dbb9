"""Comments that ignore findings: `# comity: ignore CODE` and `# comity: ignore-file CODE`."""

from collections.abc import Iterator, Sequence

from ...protocol.robotstxt.engine.lexer import Line
from ...protocol.text import to_text

_MARK = b"comity:"
_WORD = b"ignore"
_FILE = b"-file"


class Ignore:
    """A comment that ignores findings of some rules on one line, or in the whole file.

    `comment` is the line with the comment, and `start` its position there. `line` is the number of the line
    whose findings are ignored, 0 for the whole file. `words` select the rules, in upper case: codes,
    prefixes of codes, or names. `used` has the words that matched a finding.
    """

    __slots__ = ("comment", "line", "start", "used", "words", "_words")

    def __init__(self, comment: Line, start: int, line: int, words: tuple[str, ...]) -> None:
        self.comment: Line = comment
        self.start: int = start
        self.line: int = line
        self.words: tuple[str, ...] = words
        self._words = frozenset(words)
        self.used: set[str] = set()

    def covers(self, words: frozenset[str]) -> bool:
        """Return whether findings of the rule with these words are ignored, and mark the words as used."""
        found = words & self._words
        self.used |= found
        return bool(found)


def ignores_of(lines: Sequence[Line]) -> Iterator[Ignore]:
    r"""Yield the comments in order of lines.

    A comment after a rule applies to its line. A comment on a line of its own applies to the next line that
    is not a comment, which may be blank. `ignore-file` applies to the whole file. A reason may follow the
    codes, after a colon or a dash.

    >>> import comity
    >>> lines = comity.parse("# comity: ignore C301\nDisallow: a # comity: ignore C201, C301").lines
    >>> [(found.line, found.words) for found in ignores_of(lines)]
    [(2, ('C301',)), (2, ('C201', 'C301'))]
    """
    waiting: list[tuple[Line, int, tuple[str, ...]]] = []
    for line in lines:
        start, text = _mark_in(line)
        comment_alone = line.text[line.comment_start :] and not line.text[: line.comment_start].strip()
        if not comment_alone:
            for comment, at, words in waiting:
                yield Ignore(comment, at, line.number, words)
            waiting = []
        if start < 0:
            continue
        if text.startswith(_FILE):
            yield Ignore(line, start, 0, _words_in(text[len(_FILE) :]))
        elif comment_alone:
            waiting.append((line, start, _words_in(text)))
        else:
            yield Ignore(line, start, line.number, _words_in(text))
    for comment, at, words in waiting:
        yield Ignore(comment, at, lines[-1].number + 1, words)


def _mark_in(line: Line) -> tuple[int, bytes]:
    """Return where the mark begins in the comment of a line, or -1, and the rest in lower case."""
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


def _words_in(text: bytes) -> tuple[str, ...]:
    """Return the words before the reason, which begins with a colon, a dash or `#`."""
    for mark in (b"#", b":", b"\xe2\x80\x93", b"\xe2\x80\x94"):
        text = text.partition(mark)[0]
    words: dict[str, None] = {}
    for word in text.replace(b",", b" ").split():
        if word.startswith(b"-"):
            break
        words[to_text(word.rstrip(b"-")).upper()] = None
        if word.endswith(b"-"):
            break
    return tuple(words)
