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

from ....protocol.robotstxt.fields.rates import crawl_delay
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C409"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for a second delay of a group, with another value."""
    for block in subject.blocks:
        delays = [line for line in block.fields if line.field == "crawl-delay"]
        # Each may be for other User-agent lines of the group.
        last = block.agents[-1].number
        after = [(line, crawl_delay(to_text(line.value))) for line in delays if line.number > last]
        read = [(line, seconds) for line, seconds in after if seconds is not None]
        for line, seconds in read[1:]:
            first, before = read[0]
            if seconds != before:
                yield at_value(
                    line, f"line {first.number} has {quoted(first.value)}; robots differ in which they take"
                )
