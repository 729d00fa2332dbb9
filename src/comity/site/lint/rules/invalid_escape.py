"""A `%` begins no escape.

Why: An escape is `%` and two hexadecimal digits. A lone `%` is a plain character, which URLs do not have:
they have `%25`.

Example:
    User-agent: *
    Disallow: /100%/
Instead:
    User-agent: *
    Disallow: /100%25/
Engines: All; what they make of it differs.
Source: RFC 3986 2.1; RFC 9309 2.2.2.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C304"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("invalid-escape"):
        yield of_diagnostic(told)
