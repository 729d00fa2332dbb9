"""A line has an invisible character that is not white space to robots.

Why: No-break spaces and zero-width characters come with text from web pages and word processors. Blank
letters and marks of direction can be there to deceive a reader. To robots they are not white space, so they
become part of the field, the name or the path.

Example:
    User-agent: *
    Disallow:<C2 A0>/private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, because the line changes its meaning: a space replaces the character, or nothing if it has no
width.
Source: RFC 9309 2.2: white space is SP and HTAB.
"""

import unicodedata
from collections.abc import Iterator

from ....protocol.text import is_visible, to_text
from ..finding import Edit, Fix
from ..problem import Problem
from ..subject import Subject

CODE = "C112"
SEVERITY = "error"

#: Characters that other rules report: the byte order mark, and those that end a line for some parsers.
_REPORTED_ELSEWHERE = frozenset("\ufeff\u0085\u2028\u2029")


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such character of each line outside comments, with a fix for all."""
    if subject.body.isascii():
        return
    for line in subject.lines:
        text = line.text[: line.comment_start]
        if text.isascii():
            continue
        found = list(_invisible(to_text(text)))
        if found:
            at, sign = found[0]
            edits = [
                Edit(line.start + at, line.start + at + len(sign.encode()), _replacement(sign))
                for at, sign in found
            ]
            message = f"U+{ord(sign):04X} is not white space to robots; remove it"
            yield Problem(line.number, at, at + len(sign.encode()), message, Fix(tuple(edits), safe=False))


def _invisible(text: str) -> Iterator[tuple[int, str]]:
    """Yield the invisible characters, each after its position in bytes."""
    at = 0
    for sign in text:
        size = len(sign.encode(errors="surrogateescape"))
        if size > 1 and not is_visible(sign) and not _is_elsewhere(sign):
            yield at, sign
        at += size


def _is_elsewhere(sign: str) -> bool:
    """Return whether another rule reports the character, or a box is shown for it."""
    return sign in _REPORTED_ELSEWHERE or unicodedata.category(sign) in ("Cn", "Co")


def _replacement(sign: str) -> bytes:
    return b" " if unicodedata.category(sign) == "Zs" else b""
