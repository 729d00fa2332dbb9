r"""A pattern looks like a regular expression; robots know only `*` and a final `$`.

Why: `.`, `+`, `^`, `[]`, `()` and `\` are plain characters in a pattern, so it matches next to nothing.

Example:
    User-agent: *
    Disallow: ^/shop/.*\.html$
Instead:
    User-agent: *
    Disallow: /shop/*.html$
Engines: All; a few libraries build regular expressions of patterns, by mistake.
Source: RFC 9309 2.2.3; Google, URL matching based on path values.
"""

from collections.abc import Iterator

from ..remark import Remark, at_value, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check", "is_regular"]

CODE = "C309"
SEVERITY = "error"

_SIGNS = (
    b"\\d",
    b"\\w",
    b"\\.",
    b"\\/",
    b"\\?",
    b"(.*)",
    b".*)",
    b"[0-9]",
    b"[a-z]",
    b"[^",
    b"(?:",
    b".+",
    b"]+",
    b")$|",
)


def check(subject: Subject) -> Iterator[Remark]:
    """Look at each pattern for what only regular expressions have."""
    for line in subject.patterns:
        if is_regular(line.value):
            yield at_value(
                line, f"{shown(line.value)} is no regular expression to robots, which know * and a final $"
            )


def is_regular(value: bytes) -> bool:
    """Say whether a pattern has what only regular expressions have."""
    return value.startswith((b"^", b"(")) or any(sign in value for sign in _SIGNS)
