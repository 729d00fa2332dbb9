"""A line is longer than the 16,663 bytes that Google reads.

Why: Google drops the rest of the line without a message. A rule that is cut matches more than it should.

Example:
    User-agent: *
    Disallow: /a-path-of-more-than-16,663-bytes
Instead:
    User-agent: *
    Disallow: /a-path-of-more-than-16*
Engines: Google; others have other limits, or none.
Source: google/robotstxt, `RobotsTxtParser::Parse` (2,083 bytes times eight, less one).
"""

from collections.abc import Iterator

from ..problem import Problem
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except for long comments."""
    for problem, line in subject.diagnosed("line-too-long"):
        if problem.start < line.comment_start:
            yield problem
