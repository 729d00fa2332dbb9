"""A group has only Allow rules, and closes nothing.

Why: URLs that match no rule are allowed, so a group with only Allow rules closes nothing. It does not limit
the robot to these paths.

Example:
    User-agent: *
    Allow: /blog/
Instead:
    User-agent: *
    Disallow: /
    Allow: /blog/
Engines: All.
Source: RFC 9309 2.2.2: URLs that match no rule are allowed.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject, name_in

CODE = "C216"
SEVERITY = "warning"

_EVERYTHING = (b"", b"/", b"*", b"/*")


def check(subject: Subject) -> Iterator[Problem]:
    """Report groups whose robots have no Disallow in any of their groups."""
    closing = [block for block in subject.blocks if any(line.field == "disallow" for line in block.rules)]
    closed = {name_in(line) for block in closing for line in block.agents}
    for block in subject.blocks:
        allows = [line for line in block.rules if line.field == "allow"]
        if not allows or len(allows) < len(block.rules) or all(line.value in _EVERYTHING for line in allows):
            continue
        if any(name_in(line) in closed for line in block.agents):
            continue
        first = next(line for line in allows if line.value not in _EVERYTHING)
        yield at_text(
            first, "this Allow has no effect, because the group has no Disallow and so allows everything"
        )
