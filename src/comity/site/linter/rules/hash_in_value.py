"""A `#` ends a value, because it begins a comment.

Why: The rest of the value is lost. `Disallow: /#/admin` is read as `Disallow: /`, which closes the whole
site. Escaping the `#` does not help: clients never send the part of a URL after `#`, so robots see one page
for all such URLs.

Example:
    User-agent: *
    Disallow: /#/admin/
Instead:
    User-agent: *
    Disallow: /admin/
Engines: All, except a few that expect a space before a comment.
Source: RFC 9309 2.2.3 and 2.2 (EOL); Google, comments; RFC 3986 3.5: a fragment is not sent.
"""

from collections.abc import Iterator

from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C310"
SEVERITY = "error"


def check(subject: Subject) -> Iterator[Problem]:
    """Report comments that begin directly after a value, without a space before or after the `#`."""
    for line in [*subject.patterns, *subject.sitemaps]:
        at = line.comment_start
        if line.value and line.value_end == at and line.text[at + 1 : at + 2].strip(b"# \t"):
            effect = ""
            if line.field == "disallow":
                whole = line.value in (b"/", b"/*", b"*")
                closed = "the whole site" if whole else "all paths that begin with it"
                effect = f", which closes {closed}"
            message = f"`#` begins a comment, so the value is only {quoted(line.value)}{effect}"
            yield Problem(line.number, at, at + 1, message, None)
