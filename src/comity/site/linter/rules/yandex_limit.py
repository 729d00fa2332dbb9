"""A rule or a group is beyond a limit of Yandex.

The limits are 2,048 rules for a robot, 1,024 characters for a rule, and 500 characters for a Clean-param.

Why: Yandex ignores what is beyond its limits, so paths that look closed are open to it.

Example:
    A group of 2,100 rules.
Instead:
    User-agent: *
    Disallow: /*/archive/
Engines: Yandex.
Source: Yandex, "Using robots.txt", restrictions; Yandex, Clean-param.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text, at_value
from ..subject import Subject

CODE = "C703"
SEVERITY = "information"

_RULES = 2048
_CHARACTERS = 1024
_PARAMETERS = 500


def check(subject: Subject) -> Iterator[Problem]:
    """Report groups and lines that Yandex reads and that are too long, if a group speaks to it or to all."""
    read = [name for name in subject.named if name.startswith("yandex")] or ["*"]
    blocks = {block.group.line: block for name in read for block, _ in subject.named.get(name, ())}
    for block in blocks.values():
        rules = [line for line in block.rules if line.value]
        if len(rules) > _RULES:
            message = f"Yandex reads {_RULES:,} rules, and this is rule {_RULES + 1:,} of {len(rules):,}"
            yield at_text(rules[_RULES], message)
        for line in rules:
            if len(line.value) > _CHARACTERS:
                yield at_value(
                    line, f"Yandex reads rules of up to {_CHARACTERS:,} characters, and ignores this"
                )
    for line in subject.lines if b"lean" in subject.body else ():
        if line.field == "clean-param" and len(line.value) > _PARAMETERS:
            yield at_value(line, f"Yandex reads Clean-param up to {_PARAMETERS} characters, and ignores this")
