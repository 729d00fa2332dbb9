"""A field that speaks to the robots of a group stands in no group.

Why: Crawl-delay, Content-Signal and the like hold for the robots that the group names. Without one they hold
for nobody.

Example:
    Crawl-delay: 10

    User-agent: *
    Disallow: /tmp/
Instead:
    User-agent: *
    Crawl-delay: 10
    Disallow: /tmp/
Engines: All that read the field.
Source: RFC 9309 2.2.1 and 2.2.4; draft-ietf-aipref-attach.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C202"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("field-outside-group"):
        yield of_diagnostic(told)
