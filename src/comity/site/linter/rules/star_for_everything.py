"""A rule has `*`, `/*` or a similar pattern for everything; `/` has this meaning for all robots.

Why: By the standard a path begins with a slash, and robots without wildcards read `*` as a plain character.
The extra character also counts when lengths are compared.

Example:
    User-agent: *
    Disallow: *
Instead:
    User-agent: *
    Disallow: /
Engines: Robots that follow the standards of 1994 and 1996, and several libraries, find no match.
Fix: not safe, because more robots then obey the rule, and it loses to other rules of its length: `/` replaces
the pattern.
Source: RFC 9309 2.2 (path-pattern); differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

CODE = "C313"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report patterns that match each path, except `/`."""
    for line in subject.patterns:
        if line.value in subject.everything and line.value != b"/":
            fix = replacement(line, line.value_start, line.value_end, b"/")
            yield at_value(
                line,
                f"{quoted(line.value)} means everything to some robots and nothing to others; write `/`",
                fix,
            )
