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
Fix: safe, since no field begins so: `# ` is put before it.
Source: RFC 9309 2.2 (comment).
"""

from collections.abc import Iterator

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
            fix = replacement(line, start, start, b"# ", safe=True)
            yield at_text(line, "this looks like a comment, and comments begin with #", fix)


def is_foreign(line: Line) -> bool:
    """Say whether a line begins as comments do elsewhere."""
    return line.text.lstrip().startswith(_MARKS)
