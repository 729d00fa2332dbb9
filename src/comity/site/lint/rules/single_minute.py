"""A window of time begins and ends in the same minute.

Why: A robot that obeys it may come for one minute a day. Perhaps all day was meant, which needs no window.

Example:
    User-agent: *
    Visit-time: 0600-0600
Instead:
    User-agent: *
    Visit-time: 0600-0845
Engines: The few robots that read Visit-time and Request-rate.
Source: The extended standard of 1996 (Sean Conner), Visit-time.
"""

from collections.abc import Iterator

from ..remark import Remark, of_diagnostic
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C407"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic."""
    for told, _ in subject.told("single-minute"):
        yield of_diagnostic(told)
