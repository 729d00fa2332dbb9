"""A Sitemap line has no absolute URL.

Why: Sitemap takes a whole URL, with scheme and host. Robots ignore a path, or guess the rest.

Example:
    Sitemap: /sitemap.xml
Instead:
    Sitemap: https://example.com/sitemap.xml
Engines: Google and Bing require a whole URL; a few libraries resolve a path.
Source: sitemaps.org, the robots.txt file; Google, sitemap.
"""

from collections.abc import Iterator

from ..facts.several_urls import starts_of_urls
from ..problem import Problem
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, apart from values with several URLs, which C505 reports."""
    for problem, line in subject.diagnosed("sitemap-not-absolute"):
        if "C505" not in subject.selected or not starts_of_urls(line.value):
            yield problem
