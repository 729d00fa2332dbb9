"""A sitemap is closed to robots that should read it.

Why: The rules of a site apply to its sitemaps too, so an obedient robot cannot read the sitemap. The linter
checks the first 100 sitemaps of a file.

Example:
    User-agent: *
    Disallow: /files/
    Sitemap: https://example.com/files/sitemap.xml
Instead:
    User-agent: *
    Disallow: /files/
    Allow: /files/sitemap.xml
    Sitemap: https://example.com/files/sitemap.xml
Engines: Robots that read sitemaps.
Source: RFC 9309 2.2.4; Google, sitemap.
"""

from collections.abc import Iterator

from ....errors import InvalidURL
from ....protocol.origin import Origin
from ....protocol.text import to_text
from ..problem import Problem, at_value
from ..subject import Subject

CODE = "C503"
SEVERITY = "warning"

#: Maximum number of sitemaps checked, since each is compared with all rules.
_LIMIT = 100

#: Maximum number of rules that match closed sitemaps; further sitemaps are not checked.
_MATCHING = 100_000

#: Robots that read sitemaps, and any robot without its own group.
_READERS = (("Googlebot", "Googlebot"), ("bingbot", "bingbot"), ("*", "all robots without their own group"))


def check(subject: Subject) -> Iterator[Problem]:
    """Report closed sitemaps of the site, or of all sites if the site is unknown."""
    # If the site is closed, to all robots or to one of these, closed sitemaps are intended.
    if any(not subject.robots.allowed("/", agent=name) for name, _ in _READERS):
        return
    site = _origin(subject.url) if subject.url else None
    matching = 0
    for line in subject.sitemaps[:_LIMIT]:
        url = to_text(line.value)
        origin = _origin(url)
        if origin is None or (site is not None and origin != site):
            continue
        for name, robot in _READERS:
            if not subject.robots.allowed(url, agent=name):
                verdict = subject.robots.check(url, agent=name)
                yield at_value(line, f"line {verdict.line} closes this sitemap to {robot}")
                matching += 1 + len(verdict.overruled)
                break
        if matching > _MATCHING:
            break


def _origin(url: str) -> Origin | None:
    try:
        return Origin.of(url)
    except InvalidURL:
        return None
