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
from ....protocol.robotstxt.document import RobotsTxt
from ....protocol.robotstxt.verdict import text_of
from ..remark import Remark, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C503"
SEVERITY = "warning"

#: One robot that no group names, and those who read sitemaps most.
_READERS = (("Googlebot", "Googlebot"), ("bingbot", "bingbot"), ("*", "every robot that is not named"))


def check(subject: Subject) -> Iterator[Remark]:
    """Ask whether robots may fetch the sitemaps of the site, or all where it is not known which it is."""
    site = _origin(subject.url) if subject.url else None
    for line in subject.sitemaps:
        url = text_of(line.value)
        origin = _origin(url)
        if origin is None or (site is not None and origin != site):
            continue
        closed = [(who, found) for name, who in _READERS if (found := _closing(subject.robots, url, name))]
        # A site that is closed as a whole, or to one engine alone, means it.
        if closed and not _site_closed(subject.robots):
            who, number = closed[0]
            yield at_value(line, f"line {number} closes this sitemap to {who}")


def _closing(robots: RobotsTxt, url: str, agent: str) -> int | None:
    verdict = robots.check(url, agent=agent)
    return None if verdict.allowed else verdict.line


def _site_closed(robots: RobotsTxt) -> bool:
    return any(not robots.allowed("/", agent=name) for name, _ in _READERS)


def _origin(url: str) -> Origin | None:
    try:
        return Origin.of(url)
    except InvalidURL:
        return None
