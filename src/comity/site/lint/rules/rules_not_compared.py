"""A group has so many rules that they are not compared: C316 and C323 say nothing about it.

Why: Which rules never win is found exactly, and that takes its time. Up to 5,000 pieces of patterns, where
each star begins a new one, are looked at for one robot, and 20,000 in a file. Robots read the rules all the
same.

Example:
    A group of 6,000 rules.
Instead:
    User-agent: *
    Disallow: /*/archive/
Engines: None: this is about the linter.
Source: Comity.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C902"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the groups that were left out, if anybody asked what they would tell."""
    if not subject.selected & {"C316", "C323"}:
        return
    for block in subject.blocks:
        if block.group.line in subject.unreachable.skipped and block.rules:
            count = f"{len(block.rules):,} rules"
            yield at_value(
                block.agents[0], f"{count} are too many for C316 and C323, which were not asked here"
            )
