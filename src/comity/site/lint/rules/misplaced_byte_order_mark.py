"""A byte order mark stands inside the file, and makes its line unreadable.

Why: Where files are joined, the mark of the second becomes part of its first field, which is then unknown.
The rules below it join the group above.

Example:
    User-agent: ExampleBot
    Disallow: /a/
    <EF BB BF>User-agent: *
    Disallow: /b/
Instead:
    User-agent: ExampleBot
    Disallow: /a/
    User-agent: *
    Disallow: /b/
Engines: All, Google included.
Fix: not safe, since the line begins to count: the mark is taken away.
Source: google/robotstxt, which skips a mark only before the first line.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.grammar import BOM
from ..finding import Edit, Fix
from ..remark import Remark, of_diagnostic, places
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C105"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Repeat the diagnostic, but for what only comments say."""
    for told, line in subject.told("misplaced-byte-order-mark"):
        start = told.column - 1
        if start < line.comment_start:
            found = [start + at for at in places(line.text[start : line.comment_start], BOM)]
            edits = [Edit(line.start + at, line.start + at + len(BOM), b"") for at in found]
            yield of_diagnostic(told, Fix(tuple(edits), safe=False))
