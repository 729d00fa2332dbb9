"""A sitemap is on another site than the robots.txt.

The site is that of the URL of the file. If this is unknown, the rule looks for a single sitemap that is on
another site than all others. Hosts of the same domain, such as `www.example.com` and `static.example.com`,
are the same site. The sitemap that Shopify and Squarespace write into each file is not reported.

Why: A robots.txt may list a sitemap of another host, such as a storage service. It is often left over from a
move, a template or another shop, and then lists the pages of the other site.

Example:
    Sitemap: https://www.example.com/pages.xml
    Sitemap: https://www.example.com/news.xml
    Sitemap: https://old.example.org/images.xml
Instead:
    Sitemap: https://www.example.com/pages.xml
    Sitemap: https://www.example.com/news.xml
    Sitemap: https://www.example.com/images.xml
Engines: Robots that read sitemaps.
Source: sitemaps.org, sitemaps and cross submits; Google, sitemap: the URL may be on another host.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.lexer import Line
from ....protocol.text import to_text
from ..facts.hosts import domain_of, host_of
from ..facts.platforms import platform_rules
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C508"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the sitemaps of other sites, once for each host."""
    lines_of: dict[str, list[Line]] = {}
    written = platform_rules(subject) is not None
    for line in subject.sitemaps:
        if written and line.value.endswith(b"/sitemap.xml") and line.value.count(b"/") == 3:
            continue
        host = host_of(to_text(line.value))
        if host:
            lines_of.setdefault(domain_of(host), []).append(line)
    own = domain_of(host_of(subject.url)) if subject.url else _most_frequent(lines_of)
    if not own:
        return
    for domain, lines in lines_of.items():
        if domain != own:
            host = host_of(to_text(lines[0].value))
            yield at_value(
                lines[0], f"this sitemap is on {quoted(host)}, which is another site than {quoted(own)}"
            )


def _most_frequent(lines_of: dict[str, list[Line]]) -> str:
    """Return the domain of all sitemaps but one, empty if there is none."""
    domains = sorted(lines_of, key=lambda domain: len(lines_of[domain]))
    alone = len(domains) == 2 and len(lines_of[domains[0]]) == 1 and len(lines_of[domains[1]]) > 1
    return domains[1] if alone else ""
