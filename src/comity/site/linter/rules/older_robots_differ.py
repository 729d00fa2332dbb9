"""Robots that follow the standards of 1994 or 1996 answer differently for a rule.

Why: For these robots the first matching rule decides, `*` and `$` are plain characters, and a blank line ends
a group. The standard of 1994 has no Allow. Libraries that read files like this are still in use. The linter
tries up to 400 URLs made from the patterns, for up to 20 robots, and lists at most ten lines of each dialect.

Example:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/open/
Instead:
    User-agent: *
    Disallow: /shop/closed/
Engines: Python's urllib up to 3.12, LWP, Wget and others.
Source: "A Standard for Robot Exclusion" (1994); draft-koster-robots-00 (1996); docs/reference/conformance.md.
"""

from collections.abc import Iterator

from ..dialect_differences import differences
from ..problem import Problem, at_text
from ..subject import Subject

CODE = "C702"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Compare the dialects on URLs made from the patterns of the file, and report each line once."""
    names = ("*", *(name for name in subject.named if name != "*"))
    reported: set[int] = set()
    for dialect, reader in (("draft1996", "a robot of 1996"), ("1994", "a robot of 1994")):
        for line, message in differences(subject, dialect, names, reader):
            if line.number not in reported:
                reported.add(line.number)
                yield at_text(line, message)
