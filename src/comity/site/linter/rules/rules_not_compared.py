"""Groups have too many rules to compare, so C316 and C323 report nothing for them.

A file has one such finding, at the first of these groups.

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
    """Report the first group that was skipped, and their number, if C316 or C323 runs."""
    if not subject.selected & {"C316", "C323"}:
        return
    skipped = set(subject.unreachable.skipped)
    blocks = [block for block in subject.blocks if block.group.line in skipped and block.rules]
    if blocks:
        more = f" and {len(blocks) - 1:,} more" if len(blocks) > 1 else ""
        why = "; ".join(subject.unreachable.limits)
        yield at_value(
            blocks[0].agents[0], f"C316 and C323 report nothing for this group{more}, because {why}"
        )
