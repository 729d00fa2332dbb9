"""A User-agent value has more than one word, of which robots read the first.

Why: A product token has no space. `Example Bot` is read as `Example`, a robot that does not exist, or a wrong
one. Known robots that call themselves by several words are left alone. `GPTBot Disallow: /` on one line is a
name too: the rule in it is lost.

Example:
    User-agent: Example Bot
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google cut at the space; others compare the whole value.
Source: RFC 9309 2.2.1 (product-token), 2.2 (identifier); google/robotstxt, `ExtractUserAgent`.
"""

from collections.abc import Iterator

from ....agents import find
from ....protocol.robotstxt.diagnostics import second_field
from ....protocol.robotstxt.verdict import text_of
from ..remark import Remark, at_value, shown
from ..subject import Subject
from .agent_is_header import is_header

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C211"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a space in what is otherwise a name, and for another field behind it."""
    for line in subject.agents:
        value = line.value
        field = second_field(value)
        if field is not None:
            message = (
                f"a line break is missing before `{field.capitalize()}`, which is part of the name as it is"
            )
            yield at_value(line, message)
            continue
        spaced = value.partition(b"/")[0].partition(b"(")[0].rstrip()
        if not (b" " in spaced or b"\t" in spaced) or b"," in value or b"*" in value or is_header(line):
            continue
        known = find(text_of(value))
        if known is None or " " not in known.token:
            first, *_ = value.split()
            start = line.value_start + len(first)
            message = f"a product token has no space, so {shown(value)} is read as {shown(first)}"
            yield Remark(line.number, start, line.value_end, message, None)
