"""A rule is answered otherwise by robots that follow the standards of 1994 or 1996.

Why: To them the first rule that matches decides, `*` and `$` are plain characters, a blank line ends a group,
and in 1994 there is no Allow. Libraries that read so are still in use.

Example:
    User-agent: *
    Disallow: /shop/
    Allow: /shop/open/
Instead:
    User-agent: *
    Disallow: /shop/closed/
Engines: Python's urllib up to 3.12, LWP, Wget and others.
Source: "A Standard for Robot Exclusion" (1994); draft-koster-robots-00 (1996); docs/conformance.md.
"""

from collections.abc import Iterator

from ..dialect_differences import differences
from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "DEFAULT", "SEVERITY", "check"]

CODE = "C702"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Ask both about URLs that the file's own patterns make; tell the first of each line."""
    names = ("*", *(name for name in subject.named if name != "*"))
    told: set[int] = set()
    for dialect, who in (("draft1996", "a robot of 1996"), ("1994", "a robot of 1994")):
        for line, remark in differences(subject, dialect, names, who):
            if line.number not in told:
                told.add(line.number)
                yield at_text(line, remark)
