"""A group names the same robot twice.

Why: The second line has no effect. Perhaps it should name another robot.

Example:
    User-agent: ExampleBot
    User-agent: examplebot
    Disallow: /
Instead:
    User-agent: ExampleBot
    User-agent: OtherBot
    Disallow: /
Engines: None: names are compared without case.
Fix: safe: the second line is deleted, unless it has a comment, some robots cannot read the first line, or a
field between the lines applies to one of them only.
Source: RFC 9309 2.2.1: product tokens are compared without case.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C208"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report User-agent lines whose value occurs earlier in the group."""
    for block in subject.blocks:
        seen: dict[bytes, int] = {}
        for line in block.agents:
            first = seen.setdefault(line.value.lower(), line.number)
            if line.value and first != line.number:
                message = f"{quoted(line.value)} is already named in line {first}; remove this line"
                yield at_value(line, message, subject.deletion(line))
