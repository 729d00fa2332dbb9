"""A group allows and disallows the same path.

Why: For RFC 9309 and Google the Allow wins, so the Disallow has no effect. Robots that apply the first
matching rule may answer differently.

Example:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/
Instead:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/open/
Engines: RFC 9309 readers and Google allow the path; robots that apply the first rule, and some libraries, do
not.
Source: RFC 9309 2.2.2; Google, order of precedence for rules.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C315"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Report each Disallow whose path is also in an Allow of the group."""
    for block in subject.blocks:
        allows = {line.value: line.number for line in reversed(block.rules) if line.field == "allow"}
        if not allows:
            continue
        for line in block.rules:
            if line.field == "disallow" and line.value in allows and line.value:
                message = f"line {allows[line.value]} allows the same path, so this rule never wins"
                yield at_text(line, message)
