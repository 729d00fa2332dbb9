"""A rule has no effect: other rules with the same answer match all its URLs, and take precedence.

Identical rules of a group are reported by C314, and overruled rules by C316. A rule that has the same
characters beyond ASCII as another, once escaped and once not, is not reported, because some robots know only
one of the two forms. Patterns that Google may read otherwise than RFC 9309 are not compared: those with an
escape, a space, or `/index.htm`.

Why: The rule can be removed without any change. It is often left over from an edit that added a `*`.

Example:
    User-agent: *
    Disallow: /shop
    Disallow: /shop*
Instead:
    User-agent: *
    Disallow: /shop
Engines: RFC 9309 readers and Google; robots without wildcards may need one of the rules.
Source: RFC 9309 2.2.2: the longest match decides, and duplicates may be removed.
"""

from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from ....protocol.robotstxt.diagnostics.diagnostic import listed
from ..problem import Problem, at_text, quoted
from ..subject import Subject

CODE = "C323"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report rules that never win, if all rules that take precedence have the same answer."""
    for never in subject.unreachable.rules:
        rule = never.rule
        if not never.by or any(o.allow != rule.allow or o.pattern == rule.pattern for o in never.by):
            continue
        line = subject.lines[rule.line - 1]
        first, *more = never.by
        values = [line.value, *(subject.lines[other.line - 1].value for other in never.by)]
        if _same_characters(line.value, values[1]) or any(map(_read_otherwise, values)):
            continue
        others = f"line {first.line} {quoted(str(first))}"
        if more:
            others += " with " + listed([f"line {other.line}" for other in more], 4)
        yield at_text(
            line, f"this rule has no effect: {others} matches the same URLs with the same answer; remove it"
        )


def _same_characters(one: bytes, other: bytes) -> bool:
    """Return whether two patterns differ only in the escapes of characters beyond ASCII."""
    plain = unquote_to_bytes(one)
    return not plain.isascii() and plain == unquote_to_bytes(other)


def _read_otherwise(pattern: bytes) -> bool:
    """Return whether Google may read a pattern otherwise than RFC 9309: escapes, spaces, and a first page."""
    return b"%" in pattern or b" " in pattern or b"/index.htm" in pattern
