"""A group allows and disallows the same path.

Why: RFC 9309 and Google let the Allow win, so the Disallow never does anything. Robots that take the first
rule that matches may read it the other way.

Example:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/
Instead:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/open/
Engines: RFC 9309 readers and Google allow; readers of the first rule, and some libraries, do not.
Source: RFC 9309 2.2.2; Google, order of precedence for rules.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C315"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for a Disallow whose path an Allow of the group has."""
    for block in subject.blocks:
        allows = {line.value: line.number for line in reversed(block.rules) if line.field == "allow"}
        if not allows:
            continue
        for line in block.rules:
            if line.field == "disallow" and line.value in allows and line.value:
                message = f"line {allows[line.value]} allows the same path, so this rule never wins"
                yield at_text(line, message)
