"""The whole site is closed but for its first page, to all robots or to a search engine.

Why: `Allow: /$` opens the first page only. Robots cannot fetch its style sheets, scripts and images, nor any
other page, and a search engine drops those pages over time.

Example:
    User-agent: *
    Disallow: /
    Allow: /$
Instead:
    User-agent: *
    Disallow: /drafts/
Engines: All that know `$`; others find the whole site closed.
Source: RFC 9309 2.2.3; Google, order of precedence for rules, the example `Allow: /$`.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C226"
SEVERITY = "information"

_READERS = {
    "*": "all robots without their own group",
    "Googlebot": "Googlebot",
    "bingbot": "bingbot",
}


def check(subject: Subject) -> Iterator[Problem]:
    """Report groups that close the site with `/` and open only `/$`, for all robots or a search engine."""
    for token, robots in _READERS.items():
        name = subject.name_read_by(token)
        found = subject.shut_out.get(name)
        if found is None or name in subject.closed:
            continue
        block, _ = found
        if block.closing is not None:
            yield at_text(block.closing, f"only the first page is open to {robots}; is that intended?")
