"""A pattern begins with neither `/` nor `*`.

Why: Each path begins with a slash, and a pattern is compared from the first character. So the rule matches
nothing.

Example:
    User-agent: *
    Disallow: orders
Instead:
    User-agent: *
    Disallow: /orders
Engines: RFC 9309 readers and Google ignore the rule; some libraries insert the slash.
Fix: not safe, because the rule takes effect: a slash is inserted, or `/*` before a query or a parameter such
as `;jsessionid`. Backslashes become slashes. A value that looks like a host, or a word such as `all`, stays.
Source: RFC 9309 2.2 (path-pattern); Google, allow and disallow: the path must begin with `/`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.patterns import (
    EVERYTHING,
    NOTHING,
    is_inner,
    names_host,
    with_slashes,
)
from ..problem import Problem, replacement
from ..subject import Subject

ONCE = "rule"


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, with a fix if the value looks like a path."""
    for problem, line in subject.diagnosed("path-without-slash"):
        path = _intended_path(line.value)
        if path is not None:
            start, end, new = line.value_start, line.value_end, path
            if path.endswith(line.value):
                end, new = start, path[: -len(line.value)]
            problem = problem.replace(fix=replacement(line, start, end, new))
        yield problem


def _intended_path(value: bytes) -> bytes | None:
    """Return the path that a value probably stands for, or None if that is unknown."""
    if value.lower() in (*EVERYTHING, *NOTHING) or not value.isascii() or names_host(value):
        return None
    if is_inner(value):
        plain = value.strip(b"?&;=") and not value.startswith(b"=")
        return b"/*" + value if plain and b" " not in value and b":" not in value else None
    if b"\\" in value:
        return with_slashes(value) if value.replace(b"\\", b"").isalnum() else None
    unusual = not (value[:1].isalnum() or value.startswith((b"_", b"-", b"~"))) or b" " in value
    return None if unusual or b":" in value or b"=" in value.partition(b"/")[0] else b"/" + value
