"""A value stands in quotes, which become part of it.

Why: Fields have no quotes. A path that begins with one matches nothing, and an agent of that name does not
exist.

Example:
    User-agent: *
    Disallow: "/private/"
Instead:
    User-agent: *
    Disallow: /private/
Engines: All.
Fix: not safe, since the line begins to count: the quotes go away.
Source: RFC 9309 2.2 (path-pattern, product-token).
"""

from collections.abc import Iterator

from ..remark import Remark, at_value, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check", "is_quoted"]

CODE = "C321"
SEVERITY = "error"

_QUOTES = (b'"', b"'", b"\xe2\x80\x9c", b"\xe2\x80\x9d", b"\xe2\x80\x98", b"\xe2\x80\x99", b"`", b"<")


def check(subject: Subject) -> Iterator[Remark]:
    """Look at paths, agents and sitemaps."""
    for line in [*subject.patterns, *subject.agents, *subject.sitemaps]:
        if is_quoted(line.value):
            inner = line.value.strip(b"\"'`<>\xe2\x80\x9c\x9d\x98\x99")
            fix = replacement(line, line.value_start, line.value_end, inner) if inner else None
            yield at_value(
                line, f"quotes belong to the value, so {shown(line.value)} is not {shown(inner)}", fix
            )


def is_quoted(value: bytes) -> bool:
    """Say whether a value begins with a quotation mark, as no path, agent or URL does."""
    return value.startswith(_QUOTES)
