"""A line is longer than Google reads, which is 16,663 octets.

Why: Google drops the rest without a word, and a rule that is cut short matches more than it should.

Example:
    User-agent: *
    Disallow: /a-path-of-more-than-16,663-octets
Instead:
    User-agent: *
    Disallow: /a-path-of-more-than-16*
Engines: Google; others have limits of their own, or none.
Source: google/robotstxt, `RobotsTxtParser::Parse` (2,083 octets times eight, less one).
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C109"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, but for long comments."""
    for told, line in subject.told("line-too-long"):
        if told.column <= line.comment_start:
            yield of_diagnostic(told)
