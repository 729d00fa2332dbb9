"""A line has a character that some parsers take for the end of a line: U+2028, U+2029 or U+0085.

Why: What follows it becomes a line of its own there: a rule that was part of a comment comes alive.

Example:
    User-agent: *
    # as agreed<E2 80 A8>Disallow: /shop/
Instead:
    User-agent: *
    # as agreed
    Disallow: /shop/
Engines: Parsers that use Python's `str.splitlines`, or regular expressions with Unicode line ends.
Source: RFC 9309 2.2 (EOL), which has CR, LF and CRLF alone; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C114"
SEVERITY = "warning"

_SEPARATORS = ("\u2028".encode(), "\u2029".encode(), "\u0085".encode())


def check(subject: Subject) -> Iterator[Problem]:
    """Look for the first separator of each line that something follows."""
    if subject.body.isascii():
        return
    for line in subject.lines:
        for mark in _SEPARATORS:
            at = line.text.find(mark)
            if at >= 0 and line.text[at + len(mark) :].strip():
                message = f"U+{ord(mark.decode()):04X} ends the line for some robots, and not for the others"
                yield Problem(line.number, at, at + len(mark), message, None)
                break
