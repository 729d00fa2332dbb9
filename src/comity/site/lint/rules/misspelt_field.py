"""A misspelt field is read by Google and by Comity as the one that was meant, and ignored by others.

Why: Google accepts a handful of typos, such as `Disalow` and `useragent`. Nobody else has to.

Example:
    User-agent: *
    Disalow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google, and libraries that follow it, read it; the others ignore the line.
Fix: not safe, since more robots then obey the line: the field gets its name.
Source: google/robotstxt, `ParsedRobotsKey`; RFC 9309 2.2.4.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C401"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, line in subject.told("misspelt-field"):
        name = (line.field or "").capitalize().encode()
        yield of_diagnostic(told, replacement(line, line.name_start, line.name_end, name))
