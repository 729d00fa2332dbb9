"""A field, a robot's name or a path has a Cyrillic, Greek or fullwidth letter that looks like a Latin one.

In a path, only words that also have Latin letters are reported, and fullwidth characters next to ASCII.

Why: To robots these are different letters. The field is then unknown, the name is that of no robot, and the
path matches no page. Such letters come from keyboards with two alphabets, from word processors and from
translated pages.

Example:
    User-agent: *
    Dis<D0 B0>llow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, because the line changes its meaning: the Latin letter replaces the other one.
Source: RFC 9309 2.2: field names and product tokens are ASCII; Unicode Technical Standard 39, confusables.
"""

import re
from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import FIELDS, TYPOS
from ....protocol.robotstxt.engine.lexer import Line
from ....protocol.text import to_text
from ..finding import Edit, Fix
from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C115"
SEVERITY = "error"

#: Cyrillic and Greek letters, each with the Latin letter of the same shape.
_LATIN = dict(
    zip(
        "аеорсухіјѕһԁԛԝАВЕЅІЈКМНОРСТУХαορνιυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijshdqwABESIJKMHOPCTYXaopviukABEZHIKMNOPTYX",
        strict=True,
    )
)
_WIDE = {chr(0xFEE0 + code): chr(code) for code in range(0x21, 0x7F)}
_PLAIN = str.maketrans(_LATIN | _WIDE)

#: The first bytes of these characters; text without them needs no closer look.
_POSSIBLE = re.compile(rb"[%s]" % bytes({sign.encode()[0] for sign in (*_LATIN, *_WIDE)}))

#: A word that has at least one letter of the table.
_LETTERS = "".join(_LATIN)
_WORD = re.compile(rf"(?<![A-Za-z{_LETTERS}])(?=[A-Za-z]*+[{_LETTERS}])[A-Za-z{_LETTERS}]++")
_ASCII_LETTER = re.compile("[A-Za-z]")


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such character of each line outside comments, with a fix for all."""
    if not _POSSIBLE.search(subject.body):
        return
    for line in subject.lines:
        text = line.text[: line.comment_start]
        if not _POSSIBLE.search(text):
            continue
        found = list(_look_alikes(line, to_text(text)))
        if found:
            at, size, plain = found[0]
            shown = line.text[at : at + size]
            edits = [
                Edit(line.start + begin, line.start + begin + length, latin.encode())
                for begin, length, latin in found
            ]
            message = (
                f"{quoted(shown)} (U+{ord(to_text(shown)):04X}) is not `{plain}`, although it looks like it"
            )
            yield Problem(line.number, at, at + size, message, Fix(tuple(edits), safe=False))


def has_look_alikes(line: Line) -> bool:
    """Return whether a line has such a character outside its comment."""
    text = line.text[: line.comment_start]
    return bool(_POSSIBLE.search(text)) and any(True for _ in _look_alikes(line, to_text(text)))


def _look_alikes(line: Line, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the position in bytes, the size and the Latin letter of each such character."""
    spans = list(_spans(line, text))
    if not spans:
        return
    at = last = 0
    for start, end in sorted(spans):
        at += len(text[last:start].encode(errors="surrogateescape"))
        for sign in text[max(start, last) : end]:
            size = len(sign.encode(errors="surrogateescape"))
            plain = sign.translate(_PLAIN)
            if plain != sign:
                yield at, size, plain
            at += size
        last = max(last, end)


def _spans(line: Line, text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a line, in characters, whose look-alikes are mistakes."""
    plain = text.translate(_PLAIN)
    if line.field is None:
        name, colon, _ = plain.partition(":")
        if colon and name.strip().lower() in _NAMES and not text[: len(name) + 1].isascii():
            yield 0, len(name) + 1
            return
    start = len(to_text(line.text[: line.value_start]))
    value = text[start:]
    if line.field == "user-agent" and plain[start:].isascii():
        yield start, len(text)
    elif line.field in ("allow", "disallow", "sitemap"):
        if plain[start:].isascii() and any(sign in _WIDE for sign in value):
            yield start, len(text)
            return
        for word in _WORD.finditer(value):
            if _ASCII_LETTER.search(word[0]) and _stands_alone(value, word):
                yield start + word.start(), start + word.end()


#: The names of fields, usual and misspelt.
_NAMES = frozenset((*FIELDS, *TYPOS))


def _stands_alone(value: str, word: re.Match[str]) -> bool:
    """Return whether no other letter beyond ASCII is next to a word, which is then of another script."""
    start, end = word.span()
    return value[max(start - 1, 0) : start].isascii() and value[end : end + 1].isascii()
