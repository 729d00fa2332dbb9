"""A byte order mark inside the file is read as text.

Why: If files are joined, the mark of the second file becomes part of its first field, which is then unknown.
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
Fix: not safe, because the line takes effect: the mark is removed.
Source: google/robotstxt, which skips only a mark before the first line.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import BOM
from ..finding import Edit, Fix
from ..problem import Problem, occurrences
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostics, except in comments, with a fix for all marks of the line."""
    for problem, line in subject.diagnosed("misplaced-byte-order-mark"):
        if problem.start < line.comment_start:
            start = line.start + problem.start
            marks = occurrences(line.text[problem.start : line.comment_start], BOM)
            edits = [Edit(start + at, start + at + len(BOM), b"") for at in marks]
            yield problem.replace(fix=Fix(tuple(edits), safe=False))
