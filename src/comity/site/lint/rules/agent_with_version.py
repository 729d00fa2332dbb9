"""A User-agent line has a version, or a comment, after the product token.

Why: A product token has no version. Robots that compare the whole value do not find themselves in it, and
whatever version was meant, the others take the group for all versions.

Example:
    User-agent: ExampleBot/2.1
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: RFC 9309 readers and Google cut the value; several libraries compare it whole, and miss.
Fix: not safe, since more robots then find themselves in the line: the version goes away.
Source: RFC 9309 2.2.1; Google, user-agent; the standard of 1994: the name without version information.
"""

from collections.abc import Iterator

from ..remark import Remark, replacement, shown
from ..subject import Subject
from .agent_is_header import is_header

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C209"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a slash or a parenthesis after a name, where the name is the product token."""
    for line in subject.agents:
        ends = [at for mark in (b"/", b" (", b"(") if (at := line.value.find(mark)) > 0]
        name = line.value[: min(ends, default=0)]
        if name and b" " not in name and b"," not in line.value and not is_header(line):
            start = line.value_start + len(name)
            message = f"a product token has no version and no comment, so {shown(name)} is all that counts"
            fix = replacement(line, start, line.value_end, b"")
            yield Remark(line.number, start, line.value_end, message, fix)
