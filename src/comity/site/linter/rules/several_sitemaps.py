"""A Sitemap line has several URLs; each needs its own line.

Why: The value is read as one URL, which does not exist. None of the sitemaps is found.

Example:
    Sitemap: https://example.com/a.xml https://example.com/b.xml
Instead:
    Sitemap: https://example.com/a.xml
    Sitemap: https://example.com/b.xml
Engines: All.
Fix: not safe, because the sitemaps take effect: each URL gets its own line.
Source: sitemaps.org, the robots.txt file: a Sitemap line has one URL.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import BOM
from ..facts.several_urls import starts_of_urls
from ..problem import Problem, at_value, replacement
from ..subject import Subject

CODE = "C505"
SEVERITY = "error"

#: Longest list that is taken apart: the lines of a longer one would need much more space.
_LONGEST = 100


def check(subject: Subject) -> Iterator[Problem]:
    """Report values with a second URL that is not part of a query, with a fix."""
    for line in subject.sitemaps:
        starts = starts_of_urls(line.value)
        if not starts:
            continue
        parts = [line.value[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
        urls = [part.strip(b" \t,;|") for part in parts]
        separator = (line.end_of_line or b"\n") + line.text[: line.value_start]
        fix = None
        if len(urls) <= _LONGEST and BOM not in separator and all(b" " not in url for url in urls):
            fix = replacement(line, line.value_start, line.value_end, separator.join(urls))
        yield at_value(line, f"{len(urls)} URLs are read as one; write a Sitemap line for each", fix)
