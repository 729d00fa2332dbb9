"""A rule can never win: another that matches all the same paths is longer, whatever the path.

Why: The longest matching pattern decides, and its own octets count, a star at the end included. A rule that
is always overruled looks as if it did something.

Example:
    User-agent: *
    Allow: /shop/
    Disallow: /shop/*
Instead:
    User-agent: *
    Allow: /shop/open/
    Disallow: /shop/*
Engines: RFC 9309 readers and Google; some libraries drop the star before they count.
Source: RFC 9309 2.2.2; google/robotstxt; differences between parsers.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.dialect import RFC9309
from ....protocol.robotstxt.paths import pattern_reader
from ..remark import Remark, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C316"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for rules of a group that match the same paths, in a longer pattern."""
    read = pattern_reader(RFC9309)
    for block in subject.blocks:
        patterns = [(line, read(line.value)) for line in block.rules if line.value]
        longest: dict[str, tuple[int, int, str | None]] = {}
        for line, pattern in patterns:
            key = _paths_of(pattern)
            if len(pattern) > longest.get(key, (0, 0, ""))[0]:
                longest[key] = len(pattern), line.number, line.field
        for line, pattern in patterns:
            length, number, field = longest[_paths_of(pattern)]
            if length > len(pattern) and field != line.field:
                yield at_text(
                    line, f"line {number} matches the same paths and is longer, so this rule never wins"
                )


def _paths_of(pattern: str) -> str:
    """Give the one shortest pattern that matches the same paths."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    if pattern.endswith("*$"):
        pattern = pattern[:-1]
    return pattern.rstrip("*")
