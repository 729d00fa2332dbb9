"""A rule is about /robots.txt itself, which robots may fetch whatever it says.

Why: Nobody can know the rules without fetching them.

Example:
    User-agent: *
    Disallow: /robots.txt
Instead:
    User-agent: *
    Disallow: /private/
Engines: All; some libraries answer that it may not be fetched, which their crawlers do not ask.
Source: RFC 9309 2.2.2: /robots.txt is implicitly allowed; draft-koster-robots-00 3.2.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C320"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for just this path."""
    for line in subject.patterns:
        if line.value.rstrip(b"*$").lower() == b"/robots.txt" and line.field == "disallow":
            yield at_text(line, "/robots.txt may always be fetched, so this rule does nothing")
