"""No search engine obeys Noindex in robots.txt.

Why: Noindex was never documented, and Google stopped reading it on 1 September 2019. Use `noindex` in the
page itself, in a META tag or in the header field X-Robots-Tag. Robots must be allowed to fetch such a page.

Example:
    User-agent: *
    Noindex: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: None obeys the field.
Source: Google, "A note on unsupported rules in robots.txt" (2019).
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C403"
SEVERITY = "warning"
ONCE = "rule"


def check(subject: Subject) -> Iterator[Problem]:
    """Report each Noindex."""
    for line in subject.lines:
        if line.field == "noindex":
            yield at_text(
                line, "no search engine reads Noindex in robots.txt; write noindex in the page itself"
            )
