"""A User-agent line names nobody.

Why: The rules below bind no robot, unless another User-agent line stands beside this one.

Example:
    User-agent:
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: Most; some old libraries take it for everybody.
Source: RFC 9309 2.2 (product-token); the standard of 1994: at least one name.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C214"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("empty-agent"):
        yield of_diagnostic(told)
