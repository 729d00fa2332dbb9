"""A rule has a whole URL, which matches no path.

Why: A robots.txt applies to its own host only, and a rule is compared with the path of a URL. Rules for
another host belong in the robots.txt of that host. Its path alone, written here, would close that path on
this host.

Example:
    User-agent: *
    Disallow: https://example.com/private/
    Sitemap: https://example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://example.com/sitemap.xml
Engines: RFC 9309 readers and Google ignore the rule; LWP uses the path of the URL.
Fix: not safe, because the rule takes effect: the path replaces the URL. Only a URL on the same site is
replaced (known by the URL of the file, or by its sitemaps), and only if its path is not the whole site.
Source: RFC 9309 2.2.2 and 2.3; Google, valid locations.
"""

from collections.abc import Iterator

from ..problem import Problem, replacement
from ..subject import Subject

ONCE = "message"


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
