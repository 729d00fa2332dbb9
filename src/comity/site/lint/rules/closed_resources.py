"""Style sheets or scripts are closed to all robots, or to a search engine.

Why: Search engines look at pages as people do. Without their style sheets and scripts, pages look broken, and
what scripts show is not seen.

Example:
    User-agent: *
    Disallow: /*.css$
Instead:
    User-agent: *
    Disallow: /drafts/
Engines: Google, Bing.
Source: Google, "Introduction to robots.txt": do not block resources that pages need; Bing, webmaster
guidelines.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject, name_in

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C802"
SEVERITY = "information"

_ENDINGS = (b"*.css", b"*.js", b"*.css$", b"*.js$", b"*.css*", b"*.js*")
_READERS = ("*", "googlebot", "bingbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Look for patterns of whole kinds of files, in groups that search engines read."""
    for block in subject.blocks:
        if any(name_in(line) in _READERS for line in block.agents) and not block.closes_all:
            for line in block.rules:
                if line.field == "disallow" and line.value.lower().lstrip(b"/") in _ENDINGS:
                    yield at_text(
                        line, "search engines need style sheets and scripts to see pages as people do"
                    )
