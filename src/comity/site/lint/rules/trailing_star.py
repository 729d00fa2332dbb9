"""A pattern ends with a `*`, which every pattern has anyway.

Why: A pattern matches whatever follows it. The star only makes it an octet longer, so that it wins over a
rule it would else tie with, and robots without wildcards take it for a character.

Example:
    User-agent: *
    Disallow: /private/*
Instead:
    User-agent: *
    Disallow: /private/
Engines: Readers of the standards of 1994 and 1996, and libraries without wildcards.
Fix: not safe, since it may then lose to another rule: the star goes away.
Source: RFC 9309 2.2.3; Google, URL matching based on path values.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["CODE", "DEFAULT", "SEVERITY", "check"]

CODE = "C319"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Look for a star at the end of a longer pattern."""
    for line in subject.patterns:
        bare = line.value.rstrip(b"*")
        if len(bare) > 1 and len(bare) < len(line.value):
            start = line.value_start + len(bare)
            fix = replacement(line, start, line.value_end, b"")
            message = "a pattern matches whatever follows it, also without this star"
            yield Problem(line.number, start, line.value_end, message, fix)
