"""A field has no colon after its name.

Why: Google and Comity read `Disallow /a` as if it had a colon. Other robots ignore the line.

Example:
    User-agent: *
    Disallow /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google reads the line if it has two words; most others ignore it.
Fix: not safe, because more robots then obey the line: a colon is inserted.
Source: RFC 9309 2.2; google/robotstxt, `GetKeyAndValueFrom`.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix."""
    for problem, line in subject.diagnosed("missing-colon"):
        yield problem.replace(fix=replacement(line, line.name_end, line.name_end, b":"))
