"""A pattern begins with neither `/` nor `*`, so it matches nothing.

Why: Every path begins with a slash, and a pattern is compared from the first octet on.

Example:
    User-agent: *
    Disallow: private
Instead:
    User-agent: *
    Disallow: /private
Engines: RFC 9309 readers and Google ignore the rule; some libraries put the slash in.
Fix: not safe, since the rule begins to count: a slash is put before it, unless it looks like a host or
a query. A path of another host would close that path here.
Source: RFC 9309 2.2 (path-pattern); Google, allow and disallow: the path must begin with `/`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics import names_host
from ..remark import Remark, of_diagnostic, replacement
from ..subject import Subject
from .quoted_value import is_quoted
from .regular_expression import is_regular

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C301"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, unless more is wrong with the value."""
    for told, line in subject.told("path-without-slash"):
        if is_quoted(line.value) or is_regular(line.value):
            continue
        odd = (
            b" " in line.value or not line.value.isascii() or line.value.startswith((b"$", b"?", b".", b"&"))
        )
        odd = odd or b"=" in line.value.partition(b"/")[0]
        plain = not odd and b":" not in line.value and not names_host(line.value)
        fix = replacement(line, line.value_start, line.value_start, b"/") if plain else None
        yield of_diagnostic(told, fix)
