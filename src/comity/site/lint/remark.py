"""What a rule says of a span of one line, before the linter gives it code and severity."""

from ...protocol.robotstxt.diagnostics import Diagnostic
from ...protocol.robotstxt.lexer import Line
from ...protocol.robotstxt.verdict import printable, text_of
from ...protocol.value import Value
from .finding import Edit, Fix
from .subject import Subject

__all__ = [
    "Remark",
    "at_name",
    "at_text",
    "at_value",
    "deletion",
    "of_diagnostic",
    "places",
    "replacement",
    "shown",
]

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


def deletion(line: Line, subject: Subject) -> Fix | None:
    """Take away a line that says what was said before, in every dialect, unless there is a comment on it."""
    if line.comment_start < len(line.text) or line.number not in subject.repeated:
        return None
    start, end = line.start, line.start + len(line.raw)
    if subject.body.endswith(b"\r", 0, start) and subject.body.startswith(b"\n", end):
        return Fix((Edit(start - 1, end, b"\n"),), True)  # else two ends of lines would become one
    return Fix((Edit(start, end, b""),), True)


def places(text: bytes, sign: bytes) -> list[int]:
    """Give each place in a text at which some octets stand, one after the other.

    >>> places(b"a-b-", b"-")
    [1, 3]
    """
    found: list[int] = []
    at = text.find(sign)
    while at >= 0:
        found.append(at)
        at = text.find(sign, at + len(sign))
    return found


def shown(octets: bytes | str) -> str:
    r"""Quote what a file says, fit for a terminal.

    >>> shown(b"/caf\xe9")
    '`/caf\\xe9`'
    """
    text = text_of(octets) if isinstance(octets, bytes) else octets
    return f"`{printable(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...')}`"
