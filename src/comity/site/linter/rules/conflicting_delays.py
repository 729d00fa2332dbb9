"""A group has two different Crawl-delays.

Why: Comity obeys the longer one, other robots the first or the last.

Example:
    User-agent: *
    Disallow: /search
    Crawl-delay: 5
    Crawl-delay: 10
Instead:
    User-agent: *
    Disallow: /search
    Crawl-delay: 10
Engines: Robots that read Crawl-delay; they differ.
Source: No standard defines Crawl-delay; differences between parsers.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.fields.rates import crawl_delay
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C409"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report each delay of a group that differs from its first one."""
    for block in subject.blocks:
        delays = [line for line in block.fields if line.field == "crawl-delay"]
        # A delay between User-agent lines may apply to some of the robots only.
        last = block.agents[-1].number
        after = [(line, crawl_delay(to_text(line.value))) for line in delays if line.number > last]
        read = [(line, seconds) for line, seconds in after if seconds is not None]
        for line, seconds in read[1:]:
            first, before = read[0]
            if seconds != before:
                yield at_value(line, f"line {first.number} has {quoted(first.value)}; keep one of the delays")
