"""A rule names a whole URL, which matches no path.

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

from ..remark import Remark, at_value, of_diagnostic, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C302"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, and say what to write where the host is the site's own."""
    for told, line in subject.told("absolute-url-in-rule"):
        scheme, _, rest = line.value.partition(b"://")
        host, slash, path = rest.partition(b"/")
        own = scheme.isalpha() and host.lower().removeprefix(b"www.") == subject.host
        if own and path.strip(b"*$"):
            fix = replacement(line, line.value_start, line.value_end, slash + path)
            message = f"a rule is a path, and a whole URL matches none; write {shown(slash + path)}"
            yield at_value(line, message, fix)
        else:
            yield of_diagnostic(told)
