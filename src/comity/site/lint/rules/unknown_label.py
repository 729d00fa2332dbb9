"""A preference has a label that no vocabulary in force knows.

Why: What nobody knows, nobody obeys. Labels have come and gone with the drafts.

Example:
    User-agent: *
    Content-Signal: ai-trian=no
Instead:
    User-agent: *
    Content-Signal: ai-train=no
Engines: All that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-vocab; Cloudflare, Content Signals Policy.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C607"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("unknown-label"):
        yield of_diagnostic(told)
