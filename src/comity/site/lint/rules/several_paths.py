"""A rule has several paths; each needs a line of its own.

Why: The value is one path, spaces and all, which no URL has.

Example:
    User-agent: *
    Disallow: /cgi-bin/ /tmp/
Instead:
    User-agent: *
    Disallow: /cgi-bin/
    Disallow: /tmp/
Engines: All.
Fix: not safe, since the rules begin to count: each path gets a line.
Source: The standard of 1994: one path a line; RFC 9309 2.2 (path-pattern).
"""

from collections.abc import Iterator

from ....protocol.robotstxt.grammar import BOM
from ....protocol.robotstxt.lexer import Line
from ..remark import Remark, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check", "second_path"]

CODE = "C306"
SEVERITY = "error"

#: A longer list is not taken apart: its lines would be longer than the list by far.
_LISTED = 100


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a second path behind a space."""
    for line in subject.patterns:
        at = second_path(line)
        if at < 0:
            continue
        paths = [path.rstrip(b",;") for path in line.value.split()]
        fix = None
        if (
            len(paths) <= _LISTED
            and all(path.startswith((b"/", b"*")) for path in paths)
            and BOM not in line.text
        ):
            separator = (line.end_of_line or b"\n") + line.text[: line.value_start]
            fix = replacement(line, line.value_start, line.value_end, separator.join(paths))
        message = f"{shown(line.value)} is read as one path; each path has a line of its own"
        yield Remark(line.number, line.value_start + at, line.value_end, message, fix)


def second_path(line: Line) -> int:
    """Give where in the value of a rule a second path begins, or -1."""
    value = line.value.replace(b"\t", b" ")
    at = value.find(b" /")
    while at >= 0 and value.startswith(b"//", at + 1):
        at = value.find(b" /", at + 1)
    return at + 1 if at >= 0 else -1
