"""A group has a blank line in it, which ends the group for older robots.

Why: In the standard of 1994 a blank line ends the group, so the rules below it apply to no robot. RFC 9309
and Google ignore blank lines.

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

CODE = "C205"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first rule of each group after a blank line."""
    for block in subject.blocks:
        blank = False
        for line in subject.lines[block.group.line : block.group.end_line]:
            blank = blank or not line.text.strip()
            if blank and line.field in ("allow", "disallow"):
                yield at_text(line, "older robots ignore this rule, because a blank line ended its group")
                break
