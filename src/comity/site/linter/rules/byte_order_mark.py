"""The file begins with a byte order mark.

A mark before a comment or a blank line is not reported.

Why: RFC 9309 has no byte order mark. Parsers that do not skip it lose the first line, which is often
`User-agent: *`, and with it the rules of the group.

Example:
    <EF BB BF>User-agent: *
    Disallow: /private/
Instead:
    User-agent: *
    Disallow: /private/
Engines: Google and most others skip it; several libraries lose the first line.
Fix: safe: the mark is removed.
Source: Google, file format; differences between parsers (docs/reference/conformance.md).
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import BOM
from ..problem import Problem, replacement
from ..subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    """Repeat the diagnostic, with a fix."""
    # The bytes after the mark may be (part of) another mark, which would then be the first.
    alone = subject.body[len(BOM) : len(BOM) + 1] != BOM[:1]
    for problem, line in subject.diagnosed("byte-order-mark"):
        if not line.text[: line.comment_start].removeprefix(BOM).strip():
            continue  # only a comment or a blank line is lost
        fix = replacement(line, 0, len(BOM), b"", safe=True) if alone else None
        yield problem.replace(fix=fix)
