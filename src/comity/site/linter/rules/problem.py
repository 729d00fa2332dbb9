"""A problem in a line, before the linter adds code and severity; and the fixes that rules propose."""

from collections.abc import Sequence

from ....protocol.robotstxt.diagnostics.diagnostic import quoted
from ....protocol.robotstxt.engine.lexer import Line
from ....protocol.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....protocol.robotstxt.diagnostics.diagnostic import Severity

__all__ = ["Problem", "at_name", "at_text", "at_value", "occurrences", "quoted", "replacement"]


class Edit(Value):
    """The bytes of a file from offset `start` to before `end`, and their `replacement`.

    >>> Edit(start=24, end=24, replacement=b"/").replacement
    b'/'
    """

    start: int
    end: int
    replacement: bytes


class Fix(Value):
    r"""The `edits` that remove a finding.

    `safe` is whether the answers for all robots in all dialects stay the same, which is verified before the
    fix is applied (`fixing`). Other fixes do what was probably intended.

    >>> import comity
    >>> (finding,) = comity.lint(b"User-agent: *\nDisallow: private")
    >>> finding.fix.safe, finding.fix.edits[0].replacement
    (False, b'/')
    """

    edits: tuple[Edit, ...]
    safe: bool


def edited(body: bytes, fixes: Sequence[Fix]) -> bytes:
    """Apply edits that do not overlap; two line ends that come together stay two."""
    edits: list[Edit] = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.start)
    pieces: list[bytes] = []
    at = 0
    last = b""
    for edit in (*edits, Edit(len(body), len(body), b"")):
        for piece in (body[at : edit.start], edit.replacement):
            if piece:
                if last == b"\r" and piece.startswith(b"\n"):
                    pieces.append(b"\n")  # else CR and LF would become one line end
                pieces.append(piece)
                last = piece[-1:]
        at = edit.end
    return b"".join(pieces)


class Problem(Value):
    """A message about the bytes of a line from `start` to before `end`, and perhaps a fix.

    `also` has the numbers of further lines with the problem, which the message names. `severity` is that of
    the finding if the settings choose none, and None for that of the rule.
    """

    line: int
    start: int
    end: int
    message: str
    fix: Fix | None
    also: tuple[int, ...]
    severity: "Severity | None"

    def __init__(
        self,
        line: int,
        start: int,
        end: int,
        message: str,
        fix: Fix | None,
        also: tuple[int, ...] = (),
        severity: "Severity | None" = None,
    ) -> None:
        super().__init__(line, start, end, message, fix, also, severity)


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
