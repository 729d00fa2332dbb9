"""A Sitemap line has the URL of the first page of a site, and not of a sitemap.

Why: A robot fetches the page, finds no sitemap in it, and gives up. The sitemap has a URL of its own, often
`/sitemap.xml`.

Example:
    Sitemap: https://example.com/
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Robots that read sitemaps.
Source: sitemaps.org, the robots.txt file: the value is the complete URL of the sitemap.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.fields.hosts import is_sitemap
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C506"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report sitemaps without a path."""
    for line in subject.sitemaps:
        value = to_text(line.value)
        path = value.partition("://")[2].partition("/")[2]
        if is_sitemap(value) and path.lower() in ("", "index.html", "index.htm", "index.php"):
            yield at_value(line, "this is the URL of the first page; write the whole URL of the sitemap")
