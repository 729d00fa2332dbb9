"""A group has neither rule nor field, so its robots may fetch everything, whatever holds for `*`.

The last group of a file may be meant so, as in the example of RFC 9309; elsewhere something is missing.

Why: A group of its own takes the place of the group for `*`. Write `Disallow:` if everything is to be open.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    # Disallow: /
Instead:
    User-agent: *
    Disallow: /private/

    User-agent: ExampleBot
    Disallow: /
Engines: All.
Source: RFC 9309 2.2.1; google/robotstxt.
"""

from collections.abc import Iterator

from ..remark import Remark, at_text, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C203"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look at the last group, the only one that can have no rule, for lines that follow it."""
    for block in subject.blocks[-1:]:
        group = block.group
        if group.rules or group.fields or ("*" in group.agents and len(subject.blocks) == 1):
            continue
        after = subject.lines[group.line :]
        if any(line.text.strip() and line.field != "user-agent" for line in after):
            agents = ", ".join(shown(line.value) for line in block.agents[:3])
            message = (
                f"the group of {agents} has no rule, so everything is allowed; write `Disallow:` to mean it"
            )
            yield at_text(block.agents[0], message)
