"""A `$` is not the last of its pattern, so it is a plain character.

Why: Only at the end does `$` mean that the path ends there. Elsewhere it matches a dollar sign, of which few
URLs have one.

Example:
    User-agent: *
    Disallow: /*.php$?
Instead:
    User-agent: *
    Disallow: /*.php?
Engines: RFC 9309 readers and Google; some libraries end the pattern there, or drop the rule.
Source: RFC 9309 2.2.3; differences between parsers.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C303"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, line in subject.told("dollar-not-last"):
        if line.field != "content-usage":
            yield of_diagnostic(told)
