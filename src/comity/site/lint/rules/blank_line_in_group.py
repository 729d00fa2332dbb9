"""A blank line stands inside a group, where older robots end it.

Why: In the original standard a blank line ends the record, so the rules after it bind nobody. RFC 9309 and
Google read on.

Example:
    User-agent: *
    Disallow: /a/

    Disallow: /b/
Instead:
    User-agent: *
    Disallow: /a/
    Disallow: /b/
Engines: Readers of the standards of 1994 and 1996, Python's urllib up to 3.12 among them, and Yandex.
Source: "A Standard for Robot Exclusion" (1994), the format; Yandex, robots.txt.
"""

from collections.abc import Iterator

from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "DEFAULT", "SEVERITY", "check"]

CODE = "C205"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Look for the first rule of each group after a blank line."""
    for block in subject.blocks:
        blank = False
        for line in subject.lines[block.group.line : block.group.end_line]:
            blank = blank or not line.text.strip()
            if blank and line.field in ("allow", "disallow"):
                yield at_text(
                    line, "a blank line stands between this rule and its group; older robots lose it"
                )
                break
