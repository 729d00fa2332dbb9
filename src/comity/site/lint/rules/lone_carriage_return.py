"""A line ends with a lone CR, which some robots do not take for an end.

Why: To a parser that knows only LF, the whole file is one line, and a comment in it swallows all that
follows.

Example:
    User-agent: *<0D>Disallow: /private/<0D>
Instead:
    User-agent: *
    Disallow: /private/
Engines: The standards and Google accept CR; several libraries do not.
Fix: safe: it becomes LF.
Source: RFC 9309 2.2 (EOL, NL), which permits it; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C111"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the ends of lines."""
    for line in subject.lines:
        if line.end_of_line == b"\r":
            at = len(line.text)
            fix = replacement(line, at, at + 1, b"\n", safe=True)
            yield Problem(
                line.number, at, at + 1, "the line ends with CR alone; LF ends it for all robots", fix
            )
