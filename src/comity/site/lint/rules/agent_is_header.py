"""A User-agent line has a whole User-Agent header, of which robots read only the first word.

Why: Robots look for their product token, and compare it with what the value begins with. A value that begins
with `Mozilla` names a robot of that name, and no other.

Example:
    User-agent: Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)
    Disallow: /
Instead:
    User-agent: ExampleBot
    Disallow: /
Engines: All.
Fix: not safe, since the group then binds another robot: the product token of the header takes its place.
Source: RFC 9309 2.2.1: the product token, which is only a part of the header.
"""

from collections.abc import Iterator

from ....protocol.product_token import product_token
from ....protocol.robotstxt.lexer import Line
from ....protocol.robotstxt.verdict import text_of
from ..remark import Remark, at_value, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check", "is_header"]

CODE = "C210"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for what only headers have: a parenthesis, or products one after the other."""
    for line in subject.agents:
        if is_header(line):
            token = product_token(text_of(line.value))
            usable = token.isascii() and token.replace("-", "").replace("_", "").replace(".", "").isalnum()
            fix = None
            if usable and token.lower() not in ("mozilla", "http", "https"):
                fix = replacement(line, line.value_start, line.value_end, token.encode())
            hint = f"; the product token is {shown(token)}" if fix else ""
            first, _, _ = line.value.replace(b"/", b" ").replace(b"(", b" ").partition(b" ")
            yield at_value(line, f"robots read only {shown(first)} of this header{hint}", fix)


def is_header(line: Line) -> bool:
    """Say whether a value is an address, or a header whose product token is not its first word."""
    value = line.value.lower()
    if value.lstrip(b"+").startswith((b"http://", b"https://")):
        return True
    if not (b"(" in value or value.startswith(b"mozilla/") or (b" " in value and value.count(b"/") > 1)):
        return False
    first, _, _ = value.replace(b"/", b" ").replace(b"(", b" ").partition(b" ")
    token = product_token(text_of(value))
    return first == b"mozilla" or not text_of(first).startswith(token)
