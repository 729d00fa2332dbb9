"""A value is not valid for its field, so it is ignored.

Why: The robot goes on as if the line were not there: without a delay, or without a window of time.

Example:
    User-agent: *
    Crawl-delay: 10 seconds
Instead:
    User-agent: *
    Crawl-delay: 10
Engines: All that read the field.
Source: The standard, draft or page that the field comes from, as docs/fields.md tells.
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for Host, which robots no longer read."""
    for problem, line in subject.diagnosed("invalid-value"):
        if line.field != "host":
            yield problem
