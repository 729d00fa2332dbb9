"""A line has U+2028, U+2029 or U+0085 in it, which ends the line for some parsers.

Why: For these parsers the rest is a line of its own, so a rule in a comment takes effect.

Example:
    User-agent: *
    # as agreed<E2 80 A8>Disallow: /shop/
Instead:
    User-agent: *
    # as agreed
    Disallow: /shop/
Engines: Parsers that use Python's `str.splitlines`, or regular expressions with Unicode line ends.
Source: RFC 9309 2.2 (EOL): only CR, LF and CRLF end a line; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject

CODE = "C114"
SEVERITY = "warning"

_SEPARATORS = ("\u2028".encode(), "\u2029".encode(), "\u0085".encode())


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first separator of each line, unless it ends the line."""
    if subject.body.isascii():
        return
    for line in subject.lines:
        for mark in _SEPARATORS:
            at = line.text.find(mark)
            if at >= 0 and line.text[at + len(mark) :].strip():
                message = f"U+{ord(mark.decode()):04X} ends the line for some robots only; remove it"
                yield Problem(line.number, at, at + len(mark), message, None)
                break
