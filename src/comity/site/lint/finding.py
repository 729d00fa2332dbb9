"""What the linter found: the finding, its place, and the edits that would mend it."""

from ...protocol.value import Value

__all__ = ["SEVERITIES", "Edit", "Finding", "Fix"]

#: How severe a finding is, the worst first, and what the word means.
SEVERITIES = {
    "error": "the file does not do what it says",
    "warning": "the file probably does not do what was meant",
    "information": "good to know",
}


class Edit(Value):
    """Octets of a file to be replaced: from offset `start` to before `end`."""

    __slots__ = ("start", "end", "replacement")
    start: int
    end: int
    replacement: bytes


class Fix(Value):
    """Edits that take a finding away.

    `safe` says that no robot of any dialect is answered otherwise afterwards, which is proven when the fix is
    applied (`fixing`). What is not safe does what was probably meant.
    """

    __slots__ = ("edits", "safe")
    edits: tuple[Edit, ...]
    safe: bool


class Finding(Value):
    r"""One thing in a robots.txt that its author should know.

    `code` is stable ("C301"), `name` says the same in words, and `severity` is a key of `SEVERITIES`.
    `line` counts from 1; `column` and `end_column` count octets of the line from 1, and the end is the
    first octet after the span; `start` and `end` are the same span as offsets in the file. `fix` is `None`
    where there is none. `more` counts the findings of the same rule that come after this one and are not
    listed, since there are too many.

    >>> import comity
    >>> (finding,) = comity.lint(b"User-agent: *\nDisallow: private")
    >>> finding.code, finding.name, finding.severity, finding.line, finding.column, finding.end_column
    ('C301', 'path-without-slash', 'error', 2, 11, 18)
    >>> finding.fix
    Fix(edits=(Edit(start=24, end=24, replacement=b'/'),), safe=False)
    """

    __slots__ = (
        "code",
        "name",
        "severity",
        "message",
        "line",
        "column",
        "end_column",
        "start",
        "end",
        "fix",
        "more",
    )
    code: str
    name: str
    severity: str
    message: str
    line: int
    column: int
    end_column: int
    start: int
    end: int
    fix: Fix | None
    more: int
