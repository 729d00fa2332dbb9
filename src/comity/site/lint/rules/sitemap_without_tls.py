"""A sitemap is named by `http:`, and another of the same host, or the file itself, by `https:`.

Why: It is one request more at best, and another site at worst: to robots, the two schemes are two sites.

Example:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: http://example.com/news.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: https://example.com/news.xml
Engines: All that read sitemaps.
Source: RFC 9309 2.3: scheme, host and port decide which file holds.
"""

from collections.abc import Iterator

from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C504"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for hosts that are named with both schemes."""
    secure = {_host(url) for line in subject.sitemaps if (url := to_text(line.value)).startswith("https://")}
    if (subject.url or "").startswith("https://"):
        secure.add(_host(subject.url or ""))
    for line in subject.sitemaps:
        url = to_text(line.value)
        if url.startswith("http://") and _host(url) in secure:
            yield at_value(line, f"{quoted(_host(url))} is reached by https: elsewhere")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()
