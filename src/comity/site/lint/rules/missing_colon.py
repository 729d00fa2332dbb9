"""A field has no colon after it.

Why: Google, and Comity as Google, read `Disallow /a` as if the colon were there. Others ignore the line.

Example:
    User-agent: *
    Disallow /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google reads it if the line has two words; most others ignore it.
Fix: not safe, since more robots then obey the line: a colon is put in.
Source: RFC 9309 2.2; google/robotstxt, `GetKeyAndValueFrom`.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C108"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, line in subject.told("missing-colon"):
        yield of_diagnostic(told, replacement(line, line.name_end, line.name_end, b":"))
