"""A line is not UTF-8.

Why: An octet of another encoding matches only URLs with just this octet escaped. Browsers escape UTF-8, so
the rule misses the pages that it is for.

Example:
    User-agent: *
    Disallow: /caf<E9>/
Instead:
    User-agent: *
    Disallow: /café/
Engines: All: robots.txt is UTF-8. Some drop the line, some compare octets, some take any bad octet for
another.
Source: RFC 9309 2.2 (UTF8-char-noctl) and 2.3; Google, file format.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except in comments."""
    for problem, line in subject.diagnosed("not-utf-8"):
        if problem.start < line.comment_start:
            yield problem
