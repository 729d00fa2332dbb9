"""A value is not valid for its field, so it is ignored.

Why: Robots ignore the line, so the delay or the time window is not applied.

Example:
    User-agent: *
    Disallow: /search
    Crawl-delay: 10 seconds
Instead:
    User-agent: *
    Disallow: /search
    Crawl-delay: 10
Engines: Robots that read the field.
Source: The standard, draft or page that defines the field; see docs/reference/fields.md.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics."""
    for problem, _ in subject.diagnosed("invalid-value"):
        yield problem
