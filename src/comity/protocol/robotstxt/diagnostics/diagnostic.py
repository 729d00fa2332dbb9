"""The diagnostic, the table of all kinds, and functions that create one."""

from ...text import printable, to_text
from ...value import Value
from ..engine.lexer import Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeAlias

    #: How serious a diagnostic or a finding is.
    Severity: TypeAlias = Literal["error", "warning", "information"]

#: Longest part of a value that a message repeats, in characters.
_LONGEST = 60


class Kind(Value):
    """One kind of diagnostic: `code` and `name` are stable. The linter has the documentation of each.

    `severity` is "error" where a rule or field of the owner is lost, or does not do what it says; "warning"
    where only some robots read the line as intended; "information" otherwise. Single diagnostics may be less
    serious.
    """

    code: str
    name: str
    severity: "Severity"


_TABLE: "tuple[tuple[str, str, Severity], ...]" = (
    ("C101", "web-page", "error"),
    ("C102", "utf-16", "error"),
    ("C103", "not-utf-8", "warning"),
    ("C104", "byte-order-mark", "warning"),
    ("C105", "misplaced-byte-order-mark", "error"),
    ("C106", "control-character", "error"),
    ("C107", "not-a-field", "error"),
    ("C108", "missing-colon", "warning"),
    ("C109", "line-too-long", "warning"),
    ("C110", "file-too-large", "error"),
    ("C113", "foreign-comment", "warning"),
    ("C116", "binary-file", "error"),
    ("C201", "rule-outside-group", "error"),
    ("C202", "field-outside-group", "error"),
    ("C203", "group-without-rules", "warning"),
    ("C209", "agent-with-version", "warning"),
    ("C210", "agent-is-header", "error"),
    ("C211", "agent-with-space", "warning"),
    ("C212", "agent-with-wildcard", "warning"),
    ("C213", "agent-list", "error"),
    ("C214", "empty-agent", "error"),
    ("C218", "agent-not-a-token", "information"),
    ("C219", "agent-cut", "warning"),
    ("C221", "misnamed-agent", "warning"),
    ("C301", "path-without-slash", "error"),
    ("C302", "absolute-url-in-rule", "error"),
    ("C303", "dollar-not-last", "warning"),
    ("C304", "invalid-escape", "warning"),
    ("C305", "space-in-path", "warning"),
    ("C306", "several-paths", "error"),
    ("C309", "regular-expression", "error"),
    ("C317", "empty-allow", "warning"),
    ("C321", "quoted-value", "error"),
    ("C401", "misspelt-field", "warning"),
    ("C402", "unknown-field", "warning"),
    ("C404", "obsolete-field", "information"),
    ("C406", "invalid-value", "error"),
    ("C407", "single-minute", "warning"),
    ("C410", "repeated-host", "information"),
    ("C411", "ignored-in-dialect", "information"),
    ("C412", "usage-between-agents", "warning"),
    ("C501", "sitemap-not-absolute", "error"),
    ("C606", "conflicting-signals", "warning"),
    ("C607", "unknown-label", "warning"),
    ("C608", "unknown-preference", "error"),
)

#: Every kind of diagnostic, by its name. The linter has a rule of the same code and name for each, except
#: for C218, C411, and C412, which its rule C701 reports.
KINDS = {name: Kind(code, name, severity) for code, name, severity in _TABLE}


class Diagnostic(Value):
    r"""A line that is ignored, repaired or unusual.

    `code` ("C301"), `name` and `severity` are those of the linter's finding. `severity` is "error",
    "warning" or "information". `message` is one printable line of text. `line` counts from 1. `column` and
    `end_column` count characters of the line from 1, as editors do; the end is the first one after the span.
    `start` and `end` are the same span as byte offsets in the file.

    >>> import comity
    >>> (problem,) = comity.parse(b"User-agent: *\nDisallow: private").diagnostics
    >>> problem.code, problem.name, problem.severity
    ('C301', 'path-without-slash', 'error')
    >>> problem.line, problem.column, problem.end_column
    (2, 11, 18)
    >>> problem.start, problem.end
    (24, 31)
    >>> print(problem.message)
    `private` begins with neither `/` nor `*`, so it matches nothing; write `/private`
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

    def __str__(self) -> str:
        r"""Return the diagnostic in a line, as commands print it after the name of the file.

        >>> import comity
        >>> print(comity.parse("User-agent: *\nDisallow: /a b").diagnostics[0])
        2:13: warning C305 space-in-path: a space in a path is compared as %20; write %20
        """
        kind = f"{self.severity} {self.code} {self.name}"
        return printable(f"{self.line}:{self.column}: {kind}: {self.message}")


def at_span(line: Line, start: int, end: int, name: str, message: str) -> Diagnostic:
    """Create a diagnostic for the bytes of a line from `start` to before `end`.

    Its columns count bytes, until `diagnose` counts characters.
    """
    kind = KINDS[name]
    end = max(end, start)
    span = start + 1, end + 1, line.start + start, line.start + end
    return Diagnostic(kind.code, name, kind.severity, message, line.number, *span)


def at_name(line: Line, name: str, message: str) -> Diagnostic:
    """Create a diagnostic for the field name of a line."""
    return at_span(line, line.name_start, line.name_end, name, message)


def at_value(line: Line, name: str, message: str) -> Diagnostic:
    """Create a diagnostic for the value of a line."""
    return at_span(line, line.value_start, line.value_end, name, message)


def at_text(line: Line, name: str, message: str) -> Diagnostic:
    """Create a diagnostic for a line without its comment and the white space around it."""
    text = line.text[: line.comment_start]
    return at_span(line, len(text) - len(text.lstrip()), len(text.rstrip()), name, message)


def quoted(text: bytes | str) -> str:
    r"""Return text of a file in backquotes, printable and shortened.

    >>> quoted(b"/caf\xe9")
    '`/caf\\xe9`'
    """
    text = to_text(text) if isinstance(text, bytes) else text
    return f"`{printable(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...')}`"


def listed(items: "Sequence[str]", limit: int) -> str:
    """Return items as a list in a sentence, with the number of those above the limit.

    >>> listed(["a", "b", "c", "d"], 3), listed(["a", "b"], 3)
    ('a, b, c and 1 more', 'a, b')
    """
    more = len(items) - limit
    return ", ".join(items[:limit]) + (f" and {more:,} more" if more > 0 else "")
