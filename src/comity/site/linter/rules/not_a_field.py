"""A line is neither a field nor a comment, so it is ignored.

Why: A path, a note or a robot's name on a line of its own has no effect.

Example:
    User-agent: *
    Disallow: /a/
    /b/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: All.
Source: RFC 9309 2.2: each line is a field, a comment or empty.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject
from .look_alike_character import has_look_alikes

ONCE = "rule"


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for fullwidth letters and colons, which C115 reports."""
    for problem, line in subject.diagnosed("not-a-field"):
        if "C115" not in subject.selected or not has_look_alikes(line):
            yield problem
