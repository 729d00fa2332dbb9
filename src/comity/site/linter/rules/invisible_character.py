"""A line has an invisible character that is not white space to robots.

Why: No-break spaces and zero-width characters come with text from web pages and word processors. To robots
they are not white space, so they become part of the field, the name or the path.

Example:
    User-agent:<C2 A0>*
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, because the line changes its meaning: a space replaces the character, or nothing if it has no
width.
Source: RFC 9309 2.2: white space is SP and HTAB.
"""

from collections.abc import Iterator

from ..finding import Edit, Fix
from ..problem import Problem, occurrences
from ..subject import Subject

CODE = "C112"
SEVERITY = "error"

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_WIDTHLESS = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060"
_REPLACEMENTS = {sign.encode(): b" " if sign in _SPACES else b"" for sign in _SPACES + _WIDTHLESS}


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such character of each line outside comments, with a fix for all."""
    if subject.body.isascii():
        return
    for line in subject.lines:
        text = line.text[: line.comment_start]
        if text.isascii():
            continue
        found = sorted((at, sign) for sign in _REPLACEMENTS for at in occurrences(text, sign))
        if found:
            at, sign = found[0]
            edits = [
                Edit(line.start + at, line.start + at + len(sign), _REPLACEMENTS[sign]) for at, sign in found
            ]
            fix = Fix(tuple(edits), safe=False)
            message = f"U+{ord(sign.decode()):04X} is not white space to robots; remove it"
            yield Problem(line.number, at, at + len(sign), message, fix)
