"""Noindex in robots.txt is obeyed by no search engine.

Why: It was never documented, and Google stopped on 1 September 2019. A page says `noindex` for itself, in a
META tag or in the header field X-Robots-Tag, and must not be closed to the robot that is to read it.

Example:
    User-agent: *
    Noindex: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: None obeys it.
Source: Google, "A note on unsupported rules in robots.txt" (2019).
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C403"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for the field."""
    for line in subject.lines:
        if line.field == "noindex":
            yield at_text(
                line, "no search engine reads Noindex in robots.txt; the page itself can say noindex"
            )
