"""What a rule says of a span of one line, before the linter gives it code and severity."""

from ...protocol.robotstxt.diagnostics import Diagnostic
from ...protocol.robotstxt.lexer import Line
from ...protocol.robotstxt.verdict import printable, text_of
from ...protocol.value import Value
from .finding import Edit, Fix

__all__ = ["Remark", "at_name", "at_text", "at_value", "deletion", "of_diagnostic", "replacement", "shown"]

#: So much of a value is repeated in a message.
_LONGEST = 60


class Remark(Value):
    """A sentence about the octets from `start` to before `end` of a line."""

    __slots__ = ("line", "start", "end", "message", "fix")
    line: int
    start: int
    end: int
    message: str
    fix: Fix | None


def at_name(line: Line, message: str, fix: Fix | None = None) -> Remark:
    """Speak of the name of a field."""
    return Remark(line.number, line.name_start, line.name_end, message, fix)


def at_value(line: Line, message: str, fix: Fix | None = None) -> Remark:
    """Speak of a value, or of the name of the field that has none."""
    if not line.value:
        return at_name(line, message, fix)
    return Remark(line.number, line.value_start, line.value_end, message, fix)


def at_text(line: Line, message: str, fix: Fix | None = None) -> Remark:
    """Speak of all that a line says, without its comment."""
    said = line.text[: line.comment_start]
    return Remark(line.number, len(said) - len(said.lstrip()), len(said.rstrip()), message, fix)


def of_diagnostic(told: Diagnostic, fix: Fix | None = None) -> Remark:
    """Repeat what reading the file has told already."""
    return Remark(told.line, told.column - 1, told.end_column - 1, told.message, fix)


def replacement(line: Line, start: int, end: int, octets: bytes, *, safe: bool = False) -> Fix:
    """Replace the octets of a line from `start` to before `end`."""
    return Fix((Edit(line.start + start, line.start + end, octets),), safe)


def deletion(line: Line) -> Fix | None:
    """Take away a line that says nothing that is not said elsewhere, unless there is a comment on it."""
    if line.comment_start < len(line.text):
        return None
    return Fix((Edit(line.start, line.start + len(line.raw), b""),), True)


def shown(octets: bytes | str) -> str:
    r"""Quote what a file says, fit for a terminal.

    >>> shown(b"/caf\xe9")
    '`/caf\\xe9`'
    """
    text = text_of(octets) if isinstance(octets, bytes) else octets
    return f"`{printable(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...')}`"
