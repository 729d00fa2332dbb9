"""A field is misspelt; only some robots read it.

Why: Google accepts a handful of typos, such as `Disalow` and `useragent`. Nobody else has to.

Example:
    User-agent: *
    Disalow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google, and libraries that follow it, read it; the others ignore the line.
Fix: not safe, since more robots then obey the line: the field gets its name.
Source: google/robotstxt, `ParsedRobotsKey`; RFC 9309 2.2.4.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("misspelt-field"):
        name = (line.field or "").capitalize().encode()
        yield problem.replace(fix=replacement(line, line.name_start, line.name_end, name))
