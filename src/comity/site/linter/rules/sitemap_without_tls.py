"""A sitemap has an `http:` URL, although the same host also has `https:` URLs.

The other URL is that of another sitemap, or of the robots.txt itself.

Why: At best this costs a redirect. At worst it is another site: for robots each scheme is a site of its own.

Example:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: http://example.com/news.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
    Sitemap: https://example.com/news.xml
Engines: Robots that read sitemaps.
Source: RFC 9309 2.3: a file applies to one scheme, host and port.
"""

from collections.abc import Iterator

from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C504"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report `http:` sitemaps on hosts that have an `https:` URL."""
    secure = {_host(url) for line in subject.sitemaps if (url := to_text(line.value)).startswith("https://")}
    if (subject.url or "").startswith("https://"):
        secure.add(_host(subject.url or ""))
    for line in subject.sitemaps:
        url = to_text(line.value)
        if url.startswith("http://") and _host(url) in secure:
            yield at_value(line, f"{quoted(_host(url))} also has https: URLs; write https: here too")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()
