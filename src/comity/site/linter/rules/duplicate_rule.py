"""A group has the same rule twice.

Why: The second rule has no effect. Perhaps another path was intended, or a list was pasted twice.

Example:
    User-agent: *
    Disallow: /a/
    Disallow: /a/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: None.
Fix: safe: the second line is deleted, unless it has a comment, or some robots cannot read the first line.
Source: RFC 9309 2.2.2: duplicates may be dropped.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C314"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report rules that occur earlier in their group."""
    for block in subject.blocks:
        seen: dict[tuple[str | None, bytes], int] = {}
        for line in block.rules:
            if not line.value:
                continue
            first = seen.setdefault((line.field, line.value), line.number)
            if first != line.number:
                yield at_text(line, f"the same rule is in line {first}", subject.deletion(line))
