"""A line ends with CR alone, which does not end the line for some robots.

Why: For a parser that knows only LF the whole file is one line, and everything after a `#` is a comment.

Example:
    User-agent: *<0D>Disallow: /private/<0D>
Instead:
    User-agent: *
    Disallow: /private/
Engines: RFC 9309 and Google accept CR; several libraries do not.
Fix: safe: LF replaces CR.
Source: RFC 9309 2.2 (EOL, NL), which permits CR; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

CODE = "C111"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report each such line end, with a fix."""
    for line in subject.lines:
        if line.end_of_line == b"\r":
            at = len(line.text)
            fix = replacement(line, at, at + 1, b"\n", safe=True)
            yield Problem(
                line.number,
                at,
                at + 1,
                "the line ends with CR alone, which ends no line for some robots; write LF",
                fix,
            )
