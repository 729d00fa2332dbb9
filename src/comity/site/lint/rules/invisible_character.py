"""A line has an invisible character that looks like a space, or like nothing, and is neither.

Why: No-break spaces and zero-width characters come with text that is copied from web pages and word
processors. They are not white space to a robot, so they become part of the field, the agent or the path.

Example:
    User-agent:<C2 A0>*
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, since the line then says something else: it becomes a space, or goes away if it has no width.
Source: RFC 9309 2.2, in which white space is SP and HTAB.
"""

from collections.abc import Iterator

from ..finding import Edit, Fix
from ..problem import Problem, occurrences
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C112"
SEVERITY = "error"

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_WIDTHLESS = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060"
_REPLACEMENTS = {sign.encode(): b" " if sign in _SPACES else b"" for sign in _SPACES + _WIDTHLESS}


def check(subject: Subject) -> Iterator[Problem]:
    """Look at what is not a comment; tell the first such character of a line, and mend all."""
    if subject.body.isascii():
        return
    for line in subject.lines:
        said = line.text[: line.comment_start]
        if said.isascii():
            continue
        found = sorted((at, sign) for sign in _REPLACEMENTS for at in occurrences(said, sign))
        if found:
            at, sign = found[0]
            edits = [
                Edit(line.start + at, line.start + at + len(sign), _REPLACEMENTS[sign]) for at, sign in found
            ]
            fix = Fix(tuple(edits), safe=False)
            message = f"U+{ord(sign.decode()):04X} is no space to robots, but part of the text around it"
            yield Problem(line.number, at, at + len(sign), message, fix)
