"""A group names the same robot twice.

Why: Once is enough; perhaps another robot was meant.

Example:
    User-agent: ExampleBot
    User-agent: examplebot
    Disallow: /
Instead:
    User-agent: ExampleBot
    User-agent: OtherBot
    Disallow: /
Engines: None cares: the case of a name does not matter.
Fix: safe: the second line goes away, unless a comment stands on it, some robots cannot read the first, or a
field between them speaks to one alone.
Source: RFC 9309 2.2.1: product tokens are compared whatever their case.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C208"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for the same value within the User-agent lines of a group."""
    for block in subject.blocks:
        seen: dict[bytes, int] = {}
        for line in block.agents:
            first = seen.setdefault(line.value.lower(), line.number)
            if line.value and first != line.number:
                message = f"line {first} names {quoted(line.value)} already"
                yield at_value(line, message, subject.deletion(line))
