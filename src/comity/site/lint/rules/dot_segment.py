"""A path has a segment `.` or `..`, which URLs that are fetched do not have.

Why: Browsers and robots take such segments out before they ask, so the pattern matches nothing.

Example:
    User-agent: *
    Disallow: /shop/../admin/
Instead:
    User-agent: *
    Disallow: /admin/
Engines: All that normalise URLs before they ask, as clients do.
Source: RFC 3986 5.2.4 and 6.2.2.3.
"""

from collections.abc import Iterator

from ..problem import Problem, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C311"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the path of each pattern, and not at a query."""
    for line in subject.patterns:
        path = line.value.partition(b"?")[0]
        for segment in (b"/../", b"/./"):
            at = path.find(segment)
            if at >= 0:
                message = (
                    f"no URL that is fetched has {quoted(segment)} in it, so the pattern matches nothing"
                )
                start = line.value_start + at
                yield Problem(line.number, start, start + len(segment), message, None)
                break
