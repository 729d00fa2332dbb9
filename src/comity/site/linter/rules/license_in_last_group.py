"""A License line at the end of the file applies only to the robots of the last group.

Why: Nothing ends a group, blank lines neither. A License line is for all robots only before the first group.

Example:
    User-agent: *
    Disallow: /private/

    User-agent: GPTBot
    Disallow: /

    License: https://example.com/license.xml
Instead:
    License: https://example.com/license.xml

    User-agent: *
    Disallow: /private/

    User-agent: GPTBot
    Disallow: /
Engines: Robots that read License.
Source: RSL 1.0 4.4.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import LICENSE
from ....protocol.robotstxt.fields.license import license_fault
from ....protocol.text import to_text
from ..problem import Problem, at_value, quoted
from ..subject import Subject

CODE = "C610"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report License lines that stand apart in the last group, unless the file has one for all robots."""
    if not subject.blocks or any(field.name == LICENSE for field in subject.robots.fields):
        return
    last = subject.blocks[-1]
    if any(line.value == b"*" for line in last.agents):
        return
    for line in last.fields:
        valid = line.field == LICENSE and license_fault(to_text(line.value)) is None
        # Right below another line of the group, it was probably meant for the group.
        if valid and not subject.lines[line.number - 2].text.strip():
            names = quoted(last.agents[-1].value)
            message = f"this licence is only for {names}; move the line before the first User-agent line"
            yield at_value(line, message)
