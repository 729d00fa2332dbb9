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
    """One kind of diagnostic: `code` and `name` are stable, `about` is a sentence without a full stop.

    `severity` is "error" where a rule or field of the owner is lost, or does not do what it says; "warning"
    where only some robots read the line as intended; "information" otherwise. Single diagnostics may be less
    serious.
    """

    code: str
    name: str
    severity: "Severity"
    about: str


_TABLE: "tuple[tuple[str, str, Severity, str], ...]" = (
    ("C101", "web-page", "error", "The file is a web page, not a robots.txt"),
    ("C102", "utf-16", "error", "The file is UTF-16, which robots cannot read"),
    ("C103", "not-utf-8", "warning", "A line is not UTF-8"),
    ("C104", "byte-order-mark", "warning", "The file begins with a byte order mark"),
    ("C105", "misplaced-byte-order-mark", "error", "A byte order mark inside the file is read as text"),
    ("C106", "control-character", "error", "A line has a control character"),
    ("C107", "not-a-field", "error", "A line is neither a field nor a comment, so it is ignored"),
    ("C108", "missing-colon", "warning", "A field has no colon after its name"),
    ("C109", "line-too-long", "warning", "A line is longer than the 16,663 bytes that Google reads"),
    ("C110", "file-too-large", "error", "The file is larger than the 500 KiB that every robot must read"),
    ("C113", "foreign-comment", "warning", "A line looks like a comment, but does not begin with `#`"),
    ("C116", "binary-file", "error", "The file is binary data, not a robots.txt"),
    ("C201", "rule-outside-group", "error", "A rule is in no group, so it applies to no robot"),
    ("C202", "field-outside-group", "error", "A field is in no group, so it applies to no robot"),
    ("C203", "group-without-rules", "warning", "A group has no rules, so everything is allowed"),
    ("C209", "agent-with-version", "warning", "A robot's name is followed by a version or a comment"),
    ("C210", "agent-is-header", "error", "A User-agent line has a whole User-Agent header"),
    ("C211", "agent-with-space", "warning", "A robot's name has several words"),
    ("C212", "agent-with-wildcard", "warning", "A robot's name has a `*` next to other characters"),
    ("C213", "agent-list", "error", "A User-agent line names several robots"),
    ("C214", "empty-agent", "error", "A User-agent line has no name"),
    ("C218", "agent-not-a-token", "information", "A robot's name has digits or dots"),
    ("C219", "agent-cut", "warning", "A robot's name is read only in part"),
    ("C221", "misnamed-agent", "warning", "A robot does not find itself in the name of a User-agent line"),
    ("C301", "path-without-slash", "error", "A pattern begins with neither `/` nor `*`"),
    ("C302", "absolute-url-in-rule", "error", "A rule has a whole URL, which matches no path"),
    ("C303", "dollar-not-last", "warning", "A `$` before the end of a pattern is a plain character"),
    ("C304", "invalid-escape", "warning", "A `%` is not followed by two hexadecimal digits"),
    ("C305", "space-in-path", "warning", "A path has a space, which URLs cannot have"),
    ("C306", "several-paths", "error", "A rule has several paths; each needs its own line"),
    ("C309", "regular-expression", "error", "A pattern looks like a regular expression"),
    ("C317", "empty-allow", "warning", "An Allow line has no path, so it allows nothing"),
    ("C321", "quoted-value", "error", "A value is in quotes, which become part of it"),
    ("C401", "misspelt-field", "warning", "A field is misspelt; only some robots read it"),
    ("C402", "unknown-field", "warning", "A field is unknown, so its line is ignored"),
    ("C404", "obsolete-field", "information", "A field is obsolete: robots no longer read it"),
    ("C406", "invalid-value", "error", "A value is not valid for its field, so it is ignored"),
    ("C407", "single-minute", "warning", "A time window begins and ends in the same minute"),
    ("C410", "repeated-host", "information", "A second Host line is ignored"),
    ("C411", "ignored-in-dialect", "information", "A field has no meaning in the dialect"),
    ("C412", "usage-between-agents", "warning", "A Content-Usage line is between User-agent lines"),
    ("C501", "sitemap-not-absolute", "error", "A Sitemap line has no absolute URL"),
    ("C606", "conflicting-signals", "warning", "Content-Signal lines of one group contradict each other"),
    ("C607", "unknown-label", "warning", "A preference has a label that no current vocabulary defines"),
    ("C608", "unknown-preference", "error", "A preference neither allows nor disallows a use"),
)  # fmt: skip

#: Every kind of diagnostic, by its name. The linter has a rule of the same code and name for each, except
#: for C218, C411, and C412, which its rule C701 reports.
KINDS = {name: Kind(code, name, severity, about) for code, name, severity, about in _TABLE}


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
