"""A pattern ends with a `*` that has no effect on the matched URLs.

Regular expressions such as `/tmp/.*` are reported by C309.

Why: Each pattern matches any continuation. The `*` makes the pattern one byte longer, so that it wins over an
equally long one, and robots without wildcards read it as a plain character.

Example:
    User-agent: *
    Disallow: /private/*
Instead:
    User-agent: *
    Disallow: /private/
Engines: Robots that follow the standards of 1994 and 1996, and libraries without wildcards.
Fix: not safe, because the rule may then lose to another one: the `*` is removed.
Source: RFC 9309 2.2.3; Google, URL matching based on path values.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.patterns import is_regular
from ..problem import Problem, replacement
from ..subject import Subject

CODE = "C319"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report each `*` at the end of a longer pattern, with a fix."""
    for line in subject.patterns:
        bare = line.value.rstrip(b"*")
        if len(bare) > 1 and len(bare) < len(line.value) and not is_regular(line.value):
            start = line.value_start + len(bare)
            fix = replacement(line, start, line.value_end, b"")
            message = "a pattern matches any continuation, so a `*` at the end has no effect; remove it"
            yield Problem(line.number, start, line.value_end, message, fix)
