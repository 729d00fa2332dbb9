"""A finding of the linter, and the edits that fix it."""

from collections.abc import Sequence

from ...protocol.text import lines_in_html, printable
from ...protocol.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol.robotstxt.diagnostics.diagnostic import Severity

#: The severities of findings, the worst first, and their meaning.
SEVERITIES = {
    "error": "the file does not do what it says",
    "warning": "the file probably does something else than intended",
    "information": "good to know",
}


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


class Finding(Value):
    r"""A mistake in a robots.txt, or a fact that its author should know.

    `code` is stable ("C301"), `name` is the same in words, and `severity` is "error", "warning" or
    "information". `message` is one line of text.
    `line` counts from 1; `column` and `end_column` count bytes of the line from 1, and the end is the first
    byte after the span. `start` and `end` are the same span as offsets in the file. `fix` is None if there is
    no fix. `more` is the number of further findings of the same rule that are not listed. `also` has the
    numbers of further lines with the same mistake, if the rule reports them together.

    >>> import comity
    >>> (finding,) = comity.lint(b"User-agent: *\nDisallow: private")
    >>> finding.code, finding.name, finding.severity, finding.line, finding.column, finding.end_column
    ('C301', 'path-without-slash', 'error', 2, 11, 18)
    >>> finding.fix
    Fix(edits=(Edit(start=24, end=24, replacement=b'/'),), safe=False)
    """

    code: str
    name: str
    severity: "Severity"
    message: str
    line: int
    column: int
    end_column: int
    start: int
    end: int
    fix: Fix | None
    more: int
    also: tuple[int, ...]

    def __str__(self) -> str:
        r"""Return the finding in a line, as `comity lint` prints it after the name of the file.

        >>> import comity
        >>> print(comity.lint("User-agent: *\nDisallow: private")[0])  # doctest: +ELLIPSIS
        2:11: error C301 path-without-slash: `private` begins with neither `/` ... [unsafe fix]
        """
        fix = "" if self.fix is None else " [fix]" if self.fix.safe else " [unsafe fix]"
        kind = f"{self.severity} {self.code} {self.name}"
        return printable(f"{self.line}:{self.column}: {kind}: {self.message}{fix}")

    def _repr_html_(self) -> str:
        """Return the text of `str` for a notebook, escaped."""
        return lines_in_html(str(self))
