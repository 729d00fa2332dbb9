"""A problem in a line, before the linter adds code and severity; and the fixes that rules propose."""

from ...protocol.robotstxt.diagnostics.diagnostic import quoted
from ...protocol.robotstxt.lexer import Line
from ...protocol.value import Value
from .finding import Edit, Fix

__all__ = ["Problem", "at_name", "at_text", "at_value", "occurrences", "quoted", "replacement"]


class Problem(Value):
    """A message about the bytes of a line from `start` to before `end`, and perhaps a fix."""

    line: int
    start: int
    end: int
    message: str
    fix: Fix | None


def at_name(line: Line, message: str, fix: Fix | None = None) -> Problem:
    """Create a problem of the field name of a line."""
    return Problem(line.number, line.name_start, line.name_end, message, fix)


def at_value(line: Line, message: str, fix: Fix | None = None) -> Problem:
    """Create a problem of the value of a line, or of its field name if there is no value."""
    if not line.value:
        return at_name(line, message, fix)
    return Problem(line.number, line.value_start, line.value_end, message, fix)


def at_text(line: Line, message: str, fix: Fix | None = None) -> Problem:
    """Create a problem of a whole line, without its comment and the white space around it."""
    text = line.text[: line.comment_start]
    return Problem(line.number, len(text) - len(text.lstrip()), len(text.rstrip()), message, fix)


def replacement(line: Line, start: int, end: int, new: bytes, *, safe: bool = False) -> Fix:
    """Create a fix that replaces the bytes of a line from `start` to before `end`."""
    return Fix((Edit(line.start + start, line.start + end, new),), safe)


def occurrences(text: bytes, part: bytes) -> list[int]:
    """Return where in a text a part occurs, without overlaps.

    >>> occurrences(b"a-b-", b"-")
    [1, 3]
    """
    found: list[int] = []
    at = text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found
