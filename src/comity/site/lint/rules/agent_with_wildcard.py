"""A User-agent value has a `*` beside other characters.

Why: `*` stands for everybody if it is alone, and for nothing otherwise: there are no patterns of names.
`*bot*` names nobody, and `ExampleBot*` only ExampleBot. Google documents that it drops such an end, so its
own names may have one.

Example:
    User-agent: *bot*
    Disallow: /
Instead:
    User-agent: *
    Disallow: /
Engines: All; Google takes `* bot` for `*`.
Source: RFC 9309 2.2.1; the standard of 1994, on `*`.
"""

from collections.abc import Iterator

from ....agents import find
from ....protocol.robotstxt.diagnostics import second_field
from ....protocol.robotstxt.verdict import text_of
from ..remark import Remark, at_value, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C212"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a `*` that is not alone."""
    for line in subject.agents:
        value = line.value
        if second_field(value) is not None:
            continue  # a line break is missing, which C211 tells
        if b"*" not in value or b"(" in value or b"/" in value or not any(map(_is_letter, value)):
            continue
        agent = find(text_of(value.rstrip(b"*")))
        if agent is None or agent.operator != "Google":
            who = "only the robot of that name" if not line.value.startswith(b"*") else "nobody"
            yield at_value(
                line, f"names have no patterns, so {shown(line.value)} means {who}; * alone is everybody"
            )


def _is_letter(octet: int) -> bool:
    return chr(octet).isalpha() and octet < 0x80
