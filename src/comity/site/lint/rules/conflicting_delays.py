"""A robot is given two Crawl-delays.

Why: Comity takes the longer, and others the first or the last.

Example:
    User-agent: *
    Crawl-delay: 5
    Crawl-delay: 10
Instead:
    User-agent: *
    Crawl-delay: 10
Engines: All that read Crawl-delay, each in its own way.
Source: No standard has Crawl-delay; differences between parsers.
"""

from collections.abc import Iterator

from ..remark import Remark, at_value, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C409"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a second delay of a group, with another value."""
    for block in subject.blocks:
        delays = [line for line in block.fields if line.field == "crawl-delay"]
        # Each may be for other User-agent lines of the group.
        last = block.agents[-1].number
        after = [line for line in delays if line.number > last]
        for line in after[1:]:
            if line.value != after[0].value:
                message = (
                    f"line {after[0].number} has {shown(after[0].value)}; robots differ in which they take"
                )
                yield at_value(line, message)
