"""A rule says `*`, `/*` or the like for everything, which `/` says to all robots.

Why: A path begins with a slash by the standard, and robots without wildcards take the `*` for a character.
Its octet more counts against rules of the same length, too.

Example:
    User-agent: *
    Disallow: *
Instead:
    User-agent: *
    Disallow: /
Engines: Readers of the standards of 1994 and 1996, and several libraries, see no match.
Fix: not safe, since more robots then obey the rule, and it loses to others of its length: it becomes `/`.
Source: RFC 9309 2.2 (path-pattern); differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C313"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for patterns that match each path, and are not the slash."""
    for line in subject.patterns:
        if line.value in subject.everything and line.value != b"/":
            fix = replacement(line, line.value_start, line.value_end, b"/")
            yield at_value(
                line,
                f"{quoted(line.value)} is everything to some robots, and nothing to others; write `/`",
                fix,
            )
