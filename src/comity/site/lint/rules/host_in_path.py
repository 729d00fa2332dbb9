"""A path begins with the name of the site itself.

Why: A rule is compared with the path, which begins after the host. `/www.example.com/x` is a folder called
so.

Example:
    User-agent: *
    Disallow: /www.example.com/private/
    Sitemap: https://www.example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://www.example.com/sitemap.xml
Engines: All.
Source: RFC 9309 2.2.2: the path of the URL is what is compared.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C312"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for the hosts that the file itself speaks of."""
    for line in subject.patterns if subject.hosts else ():
        first = line.value.lstrip(b"/*").partition(b"/")[0].lower()
        if first.removeprefix(b"www.") in subject.hosts and b"://" not in line.value:
            yield at_value(line, f"a path begins after the host, so this is a folder called {quoted(first)}")
