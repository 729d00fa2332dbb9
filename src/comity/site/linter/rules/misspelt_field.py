"""A field is misspelt; only some robots read it.

Why: Google accepts some misspelt names, such as `Disalow` and `useragent`, and so does Comity. Other robots
ignore the line.

Example:
    User-agent: *
    Disalow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google, and libraries that follow it, read the line; others ignore it.
Fix: not safe, because more robots then obey the line: the correct name replaces the misspelt one.
Source: google/robotstxt, `ParsedRobotsKey`; RFC 9309 2.2.4.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

ONCE = "message"


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("misspelt-field"):
        name = (line.field or "").capitalize().encode()
        yield problem.replace(fix=replacement(line, line.name_start, line.name_end, name))
