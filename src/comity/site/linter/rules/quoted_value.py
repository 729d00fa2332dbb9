"""A value is in quotes, which become part of it.

Why: Values have no quotes. A path that begins with a quote matches nothing, and no robot has such a name.

Example:
    User-agent: *
    Disallow: "/private/"
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, because the line takes effect: the quotes are removed.
Source: RFC 9309 2.2 (path-pattern, product-token).
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import unquoted
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix unless there is nothing between the quotes."""
    for problem, line in subject.diagnosed("quoted-value"):
        inner = unquoted(line.value)
        fix = replacement(line, line.value_start, line.value_end, inner) if inner else None
        yield problem.replace(fix=fix)
