"""A line looks like a comment of another language; comments begin with `#`.

Why: Robots ignore the line only as they ignore any that is no field. One that holds a colon may become a
field.

Example:
    // keep out of the archive
    User-agent: *
    Disallow: /archive/
Instead:
    # keep out of the archive
    User-agent: *
    Disallow: /archive/
Engines: All.
Fix: safe where no dialect reads a field in the line: `# ` is put before it.
Source: RFC 9309 2.2 (comment).
"""

from collections.abc import Iterator

from ....protocol.robotstxt.dialect import DIALECTS
from ....protocol.robotstxt.document import parse
from ....protocol.robotstxt.lexer import Line
from ..remark import Remark, at_text, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check", "is_foreign"]

CODE = "C113"
SEVERITY = "warning"

_MARKS = (b"//", b";", b"--", b"<!--", b"/* ", b"*/", b"%%", b"'")


def check(subject: Subject) -> Iterator[Remark]:
    """Look at lines that are no field."""
    for line in subject.lines:
        if line.field is None and is_foreign(line):
            start = len(line.text) - len(line.text.lstrip())
            # In a file of its own the line is read as it is in this one.
            unread = all(parse(line.text, dialect).lines[0].field is None for dialect in DIALECTS)
            fix = replacement(line, start, start, b"# ", safe=True) if unread else None
            yield at_text(line, "this looks like a comment, and comments begin with #", fix)


def is_foreign(line: Line) -> bool:
    """Say whether a line begins as comments do elsewhere."""
    return line.text.lstrip().startswith(_MARKS)
