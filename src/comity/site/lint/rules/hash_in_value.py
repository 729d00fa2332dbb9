"""A `#` ends a value, since a comment begins there.

Why: What follows is lost. `Disallow: /#/admin` is `Disallow: /`, which closes the whole site. URLs that
robots fetch have no fragment; a `#` that belongs to a path is `%23`.

Example:
    User-agent: *
    Disallow: /#/admin/
Instead:
    User-agent: *
    Disallow: /%23/admin/
Engines: All but a few, which want a space before the comment.
Source: RFC 9309 2.2.3 and 2.2 (EOL); Google, comments.
"""

from collections.abc import Iterator

from ..remark import Remark, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C310"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Remark]:
    """Look for a comment that begins right behind a value, with no space before it or after it."""
    for line in [*subject.patterns, *subject.sitemaps]:
        at = line.comment_start
        if line.value and line.value_end == at and line.text[at + 1 : at + 2].strip(b"# \t"):
            message = f"a comment begins here, so only {shown(line.value)} is read; write %23 to mean a #"
            yield Remark(line.number, at, at + 1, message, None)
