"""A path begins with the host name of the site.

Why: A rule is compared with the path of a URL, which begins after the host. `/www.example.com/x` is a path in
a folder of that name.

Example:
    User-agent: *
    Disallow: /www.example.com/private/
    Sitemap: https://www.example.com/sitemap.xml
Instead:
    User-agent: *
    Disallow: /private/
    Sitemap: https://www.example.com/sitemap.xml
Engines: All.
Source: RFC 9309 2.2.2: the path of the URL is compared.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C312"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report paths that begin with a host of the site."""
    for line in subject.patterns if subject.hosts else ():
        first = line.value.lstrip(b"/*").partition(b"/")[0].lower()
        if first.removeprefix(b"www.") in subject.hosts and b"://" not in line.value:
            yield at_value(line, f"{quoted(first)} is read as a folder, because a path begins after the host")
