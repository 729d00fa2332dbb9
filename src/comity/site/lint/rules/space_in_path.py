"""A path has a space, which no URL has as it is.

Why: URLs have `%20` for a space. RFC 9309 readers compare it so; Google compares the space itself, and
matches nothing.

Example:
    User-agent: *
    Disallow: /my files/
Instead:
    User-agent: *
    Disallow: /my%20files/
Engines: Google, whose parser leaves ASCII as it is.
Source: RFC 9309 2.2 (path-pattern has no space) and 2.2.2; google/robotstxt, `MaybeEscapePattern`.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject
from .quoted_value import is_quoted
from .several_paths import second_path

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C305"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, unless the space is between two paths."""
    for told, line in subject.told("space-in-path"):
        if second_path(line) < 0 and not is_quoted(line.value):
            yield of_diagnostic(told)
