"""A `#` ends a value, since a comment begins there.

Why: What follows is lost. `Disallow: /#/admin` is `Disallow: /`, which closes the whole site. No other way of
writing it helps: what follows a `#` in a URL is never sent, so robots see one page for all of it.

Example:
    User-agent: *
    Disallow: /#/admin/
Instead:
    User-agent: *
    Disallow: /admin/
Engines: All but a few, which want a space before the comment.
Source: RFC 9309 2.2.3 and 2.2 (EOL); Google, comments; RFC 3986 3.5: a fragment is not sent.
"""

from collections.abc import Iterator

from ..problem import Problem, quoted
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C310"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Problem]:
    """Look for a comment that begins right behind a value, with no space before it or after it."""
    for line in [*subject.patterns, *subject.sitemaps]:
        at = line.comment_start
        if line.value and line.value_end == at and line.text[at + 1 : at + 2].strip(b"# \t"):
            effect = ""
            if line.field == "disallow":
                whole = line.value in (b"/", b"/*", b"*")
                effect = (
                    ", which closes the whole site" if whole else ", which closes all that begins with it"
                )
            message = f"a comment begins here, so {quoted(line.value)} is read{effect}"
            yield Problem(line.number, at, at + 1, message, None)
