"""A rule has a whole URL, which matches no path.

Why: A robots.txt speaks of its own host alone, and a rule is compared with the path. Another host has its own
file: a rule for it belongs there, and its path alone would close that path here.

Example:
    User-agent: *
    Disallow: https://example.com/private/
    Sitemap: https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://example.com/sitemap.xml
Engines: RFC 9309 readers and Google ignore the rule; LWP takes the path out of it.
Fix: not safe, since the rule begins to count: the path takes its place, if the host is known to be the site's
own (by the address of the file, or by its sitemaps) and the path is not the whole site.
Source: RFC 9309 2.2.2 and 2.3; Google, valid locations.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if the URL is on the same site and has a path."""
    for problem, line in subject.diagnosed("absolute-url-in-rule"):
        scheme, _, rest = line.value.partition(b"://")
        host, slash, path = rest.partition(b"/")
        same_site = scheme.isalpha() and host.lower().removeprefix(b"www.") == subject.host
        if same_site and path.strip(b"*$"):
            fix = replacement(line, line.value_start, line.value_end, slash + path)
            problem = problem.replace(fix=fix)
        yield problem
