"""What is said of a use neither allows nor disallows it.

Why: Content-Usage has `y` and `n`, Content-Signal `yes` and `no`. Any other value says nothing.

Example:
    User-agent: *
    Content-Usage: train-ai=no
Instead:
    User-agent: *
    Content-Usage: train-ai=n
Engines: All that read Content-Usage or Content-Signal.
Source: draft-ietf-aipref-attach and -vocab; Cloudflare, Content Signals Policy.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C608"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("unknown-preference"):
        yield of_diagnostic(told)
