"""The URL of a sitemap has a scheme that robots do not know, such as `htps`.

Why: Robots fetch sitemaps by `https` and `http`. A misspelt scheme makes the line useless.

Example:
    Sitemap: htps://example.com/sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Robots that read sitemaps.
Fix: not safe, because the sitemap takes effect: the scheme is corrected, if it differs little from a known
one.
Source: sitemaps.org, the robots.txt file; RFC 9110 4.2.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import one_slip
from ....protocol.robotstxt.fields.hosts import is_sitemap
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

CODE = "C509"
SEVERITY = "error"

_KNOWN = ("https", "http", "ftp", "ftps")


def check(subject: Subject) -> Iterator[Problem]:
    """Report absolute URLs with another scheme, with a fix if it is misspelt."""
    for line in subject.sitemaps:
        scheme = to_text(line.value).partition("://")[0].lower()
        if scheme in _KNOWN or not is_sitemap(to_text(line.value)):
            continue
        meant = next((known for known in _KNOWN[:2] if one_slip(scheme, known)), None)
        hint = f"; did you mean {meant}?" if meant else "; write https"
        fix = None
        if meant:
            fix = replacement(line, line.value_start, line.value_start + len(scheme), meant.encode())
        yield at_value(line, f"no robot knows the scheme {quoted(scheme)}{hint}", fix)
