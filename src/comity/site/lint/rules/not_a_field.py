"""A line is neither a field nor a comment, so it is ignored.

Why: A path, a note or an agent on a line of its own says nothing to robots.

Example:
    User-agent: *
    Disallow: /a/
    /b/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: All.
Source: RFC 9309 2.2, in which each line is a field, a comment or empty.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject
from .foreign_comment import is_foreign

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C107"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, unless the file is UTF-16, or the line a comment of another language."""
    if next(subject.told("utf-16"), None):
        return
    for told, line in subject.told("not-a-field"):
        if not is_foreign(line):
            yield of_diagnostic(told)
