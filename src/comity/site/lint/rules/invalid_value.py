"""A value is none that the field can have, so the line is ignored.

Why: The robot goes on as if the line were not there: without a delay, or without a window of time.

Example:
    User-agent: *
    Crawl-delay: 10 seconds
Instead:
    User-agent: *
    Crawl-delay: 10
Engines: All that read the field.
Source: The standard, draft or page that the field comes from, as docs/fields.md tells.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C406"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, but for sitemaps, which have their own rule, and Host, which nobody reads."""
    for told, line in subject.told("invalid-value"):
        if line.field not in ("sitemap", "host"):
            yield of_diagnostic(told)
