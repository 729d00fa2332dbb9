"""A path has a `.` or `..` segment, which no requested URL has.

Why: Browsers and robots remove such segments before they send a request, so the pattern matches nothing.

Example:
    User-agent: *
    Disallow: /shop/../admin/
Instead:
    User-agent: *
    Disallow: /admin/
Engines: Robots that normalise URLs before the request, as clients do.
Source: RFC 3986 5.2.4 and 6.2.2.3.
"""

from collections.abc import Iterator

from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C311"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such segment of each path; queries may have them."""
    for line in subject.patterns:
        path = line.value.partition(b"?")[0]
        for segment in (b"/../", b"/./"):
            at = path.find(segment)
            if at >= 0:
                message = (
                    f"requested URLs never have {quoted(segment)} in them, so the pattern matches nothing"
                )
                start = line.value_start + at
                yield Problem(line.number, start, start + len(segment), message, None)
                break
