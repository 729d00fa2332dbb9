"""A group has too many rules to compare, so C316 and C323 report nothing for it.

Why: Rules that never win are found by an exact search, which takes time. The linter compares up to 5,000
pieces of patterns for one robot, and 20,000 in a file; each `*` begins a new piece. Robots read all the rules
nevertheless.

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

CODE = "C902"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report the groups that were skipped, if C316 or C323 runs."""
    if not subject.selected & {"C316", "C323"}:
        return
    for block in subject.blocks:
        if block.group.line in subject.unreachable.skipped and block.rules:
            count = f"{len(block.rules):,} rules"
            yield at_value(
                block.agents[0], f"{count} are too many to compare, so C316 and C323 report nothing here"
            )
