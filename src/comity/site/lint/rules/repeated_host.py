"""A second Host line is ignored.

Why: Only the first counted, when Host counted.

Example:
    Host: www.example.com
    Host: example.com
Instead:
    User-agent: *
    Disallow:
Engines: Yandex, until 2018.
Source: Yandex, on Host.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C410"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("repeated-host"):
        yield of_diagnostic(told)
