"""A rule decides nothing: others that say the same match all that it matches, and come before it.

The same rule twice in a group is another finding (C314), and so is a rule that is overruled (C316). Letters
beyond ASCII that are written as they stand and escaped as well are left alone, since some robots know only
one of the spellings.

Why: It can go away, and nothing changes. Often it is the rest of a change: a star was added, an escape was
written in another way, and the rule of before stayed.

Example:
    User-agent: *
    Disallow: /shop
    Disallow: /shop*
Instead:
    User-agent: *
    Disallow: /shop
Engines: RFC 9309 readers and Google; robots without wildcards may need the one or the other.
Source: RFC 9309 2.2.2: the most octets decide, and duplicates may be dropped.
"""

from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from ..problem import Problem, at_text, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C323"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Look at the rules that never win, where all that outrank them say the same."""
    for never in subject.unreachable.rules:
        rule = never.rule
        if not never.by or any(o.allow != rule.allow or o.pattern == rule.pattern for o in never.by):
            continue
        line = subject.lines[rule.line - 1]
        first, *more = never.by
        if _respelt(line.value, subject.lines[first.line - 1].value):
            continue
        others = f"line {first.line} {quoted(str(first))}"
        if more:
            others += " with " + ", ".join(f"line {other.line}" for other in more[:4])
        yield at_text(line, f"this rule decides nothing: {others} says the same of all that it matches")


def _respelt(one: bytes, other: bytes) -> bool:
    """Say whether two patterns are the same letters beyond ASCII, written in two ways."""
    plain = unquote_to_bytes(one)
    return not plain.isascii() and plain == unquote_to_bytes(other)
