"""A sitemap is listed twice.

Why: The second line has no effect. Perhaps another sitemap was intended.

Example:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: https://example.com/sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: None.
Fix: safe: the second line is deleted, unless it has a comment, or some robots cannot read the first line.
Source: sitemaps.org, the robots.txt file.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C502"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report sitemaps that are listed earlier."""
    seen: dict[bytes, int] = {}
    for line in subject.sitemaps:
        first = seen.setdefault(line.value, line.number)
        if first != line.number and line.value:
            yield at_value(
                line,
                f"this sitemap is already listed in line {first}; remove this line",
                subject.deletion(line),
            )
