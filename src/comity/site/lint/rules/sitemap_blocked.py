"""A sitemap may not be fetched by the robots that the file asks to read it.

Why: The rules of a site hold for its sitemaps too. A robot that obeys cannot read it.

Example:
    User-agent: *
    Disallow: /files/
    Sitemap: https://example.com/files/sitemap.xml
Instead:
    User-agent: *
    Disallow: /files/
    Allow: /files/sitemap.xml
    Sitemap: https://example.com/files/sitemap.xml
Engines: All that read sitemaps.
Source: RFC 9309 2.2.4; Google, sitemap.
"""

from collections.abc import Iterator

from ....errors import InvalidURL
from ....protocol.origin import Origin
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C503"
SEVERITY = "warning"

#: So many sitemaps are asked about, each of which may be compared with all rules.
_ASKED = 100

#: One robot that no group names, and those who read sitemaps most.
_READERS = (("Googlebot", "Googlebot"), ("bingbot", "bingbot"), ("*", "every robot that is not named"))


def check(subject: Subject) -> Iterator[Problem]:
    """Ask whether robots may fetch the sitemaps of the site, or all where it is not known which it is."""
    # A site that is closed as a whole, or to one engine alone, means it.
    if any(not subject.robots.allowed("/", agent=name) for name, _ in _READERS):
        return
    site = _origin(subject.url) if subject.url else None
    for line in subject.sitemaps[:_ASKED]:
        url = to_text(line.value)
        origin = _origin(url)
        if origin is None or (site is not None and origin != site):
            continue
        for name, who in _READERS:
            verdict = subject.robots.check(url, agent=name)
            if not verdict.allowed:
                yield at_value(line, f"line {verdict.line} closes this sitemap to {who}")
                break


def _origin(url: str) -> Origin | None:
    try:
        return Origin.of(url)
    except InvalidURL:
        return None
