"""A field is unknown, so its line is ignored.

Why: The line does nothing. If it is a typo, a rule is missing.

Example:
    User-agent: *
    Disalllow: /private/
    https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://example.com/sitemap.xml
Engines: All; Google takes a field for what it begins with, so that it reads `Disallowed`.
Fix: not safe, and only for an address on a line of its own, of which it makes a sitemap.
Source: RFC 9309 2.2.4.
"""

from collections.abc import Iterator

from ..remark import Remark, at_text, of_diagnostic, replacement
from ..subject import Subject
from .foreign_comment import is_foreign
from .obsolete_field import OBSOLETE

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C402"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, unless another rule speaks of the line."""
    for told, line in subject.told("unknown-field"):
        if line.name.lower() in (b"http", b"https") and line.value.startswith(b"//"):
            fix = replacement(line, line.name_start, line.name_start, b"Sitemap: ")
            yield at_text(line, "an address alone says nothing; was `Sitemap:` meant before it?", fix)
        elif line.name.lower() not in OBSOLETE and not is_foreign(line):
            yield of_diagnostic(told)
