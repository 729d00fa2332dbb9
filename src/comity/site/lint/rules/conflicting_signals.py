"""Content-Signal lines of one group contradict each other.

Why: Nobody has said which counts. Comity takes the stricter.

Example:
    User-agent: *
    Content-Signal: ai-train=yes
    Content-Signal: ai-train=no
Instead:
    User-agent: *
    Content-Signal: ai-train=no
Engines: All that read Content-Signal.
Source: Cloudflare, Content Signals Policy; docs/usage.md.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C606"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("conflicting-signals"):
        yield of_diagnostic(told)
