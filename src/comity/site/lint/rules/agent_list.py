"""A User-agent line names several robots, of which only the first is read.

Why: Each robot has a line of its own; a comma ends the product token.

Example:
    User-agent: ExampleBot, OtherBot
    Disallow: /
Instead:
    User-agent: ExampleBot
    User-agent: OtherBot
    Disallow: /
Engines: All; an erratum that proposes such lists has been reported, and is read by nobody.
Fix: not safe, since the group then binds the others too: each robot gets a line, if all look like names.
Source: RFC 9309 2.2.1; google/robotstxt, `ExtractUserAgent`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.grammar import BOM
from ..remark import Remark, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C213"
SEVERITY = "error"

#: What names and their versions are made of.
_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./ ")

#: A longer list is not taken apart: its lines would be longer than the list by far.
_LISTED = 100


def check(subject: Subject) -> Iterator[Remark]:
    """Look for commas and semicolons between names."""
    for line in subject.agents:
        if b"(" in line.value or not (b"," in line.value or b";" in line.value):
            continue
        names = [name.strip() for name in line.value.replace(b";", b",").split(b",") if name.strip()]
        if len(names) < 2:
            continue
        start = line.value_start + len(names[0])
        separator = (line.end_of_line or b"\n") + line.text[: line.value_start]
        fix = None
        if not all(map(_is_name, names)):
            message = (
                f"a name has neither comma nor semicolon, so robots read only a part of {shown(line.value)}"
            )
        else:
            message = (
                f"only {shown(names[0])} is read of this list; each robot has a User-agent line of its own"
            )
            if BOM not in separator and len(names) <= _LISTED:
                fix = replacement(line, line.value_start, line.value_end, separator.join(names))
        yield Remark(line.number, start, line.value_end, message, fix)


def _is_name(part: bytes) -> bool:
    """Say whether a part of a list may be a robot: `*`, or a name, with its version or in a few words."""
    return part == b"*" or (part[:1].isalpha() and _NAME.issuperset(part))
