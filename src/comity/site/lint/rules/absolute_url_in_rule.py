"""A rule names a whole URL, which matches no path.

Why: A robots.txt speaks of its own host alone, and a rule is compared with the path. Another host has its own
file.

Example:
    User-agent: *
    Disallow: https://example.com/private/
    Sitemap: https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://example.com/sitemap.xml
Engines: RFC 9309 readers and Google ignore the rule; LWP takes the path out of it.
Fix: not safe, since the rule begins to count: the path takes its place, if the host is that of a sitemap.
Source: RFC 9309 2.2.2 and 2.3; Google, valid locations.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C302"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, line in subject.told("absolute-url-in-rule"):
        host, slash, path = line.value.partition(b"://")[2].partition(b"/")
        own = host.lower().removeprefix(b"www.") in subject.hosts
        fix = replacement(line, line.value_start, line.value_end, slash + path) if own and path else None
        yield of_diagnostic(told, fix)
