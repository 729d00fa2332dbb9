"""Style sheets or scripts are closed to all robots, or to a search engine.

Why: Search engines render pages like a browser. Without style sheets and scripts the pages look broken, and
content that scripts add is not indexed.

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

CODE = "C802"
SEVERITY = "information"

_ENDINGS = (b"*.css", b"*.js", b"*.css$", b"*.js$", b"*.css*", b"*.js*")
_READERS = ("*", "googlebot", "bingbot")


def check(subject: Subject) -> Iterator[Problem]:
    """Report patterns of all style sheets or scripts, in groups that search engines read."""
    for block in subject.blocks:
        if any(name_in(line) in _READERS for line in block.agents) and not block.closes_all:
            for line in block.rules:
                if line.field == "disallow" and line.value.lower().lstrip(b"/") in _ENDINGS:
                    yield at_text(line, "search engines need style sheets and scripts to render pages")
