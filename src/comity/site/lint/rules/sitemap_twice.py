"""A sitemap is named twice.

Why: Once is enough; perhaps another was meant.

Example:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: https://example.com/sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: None cares.
Fix: safe: the second line goes away, unless a comment stands on it, or some robots cannot read the first.
Source: sitemaps.org, the robots.txt file.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C502"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for an address that is there already."""
    seen: dict[bytes, int] = {}
    for line in subject.sitemaps:
        first = seen.setdefault(line.value, line.number)
        if first != line.number and line.value:
            yield at_value(line, f"line {first} names this sitemap already", subject.deletion(line))
