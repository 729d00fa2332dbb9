"""A rule stands before any User-agent line, so it binds nobody.

Why: A rule belongs to the group above it. Without a group it speaks to no robot, whatever it says.

Example:
    Disallow: /private/

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Disallow: /private/
    Disallow: /tmp/
Engines: All that follow RFC 9309, and Google; LWP takes the rule for everybody's.
Source: RFC 9309 2.2.1: rules outside a group are ignored.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C201"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("rule-outside-group"):
        yield of_diagnostic(told)
