"""A comment after a field has another field in it, which robots do not read.

A field in a comment on a line of its own is not reported: it is usually a line that was put out of use.

Why: A `#` begins a comment, which ends with the line. A line break is probably missing.

Example:
    User-agent: * # Disallow: /private/
    Disallow: /drafts/
Instead:
    User-agent: *
    Disallow: /private/
    Disallow: /drafts/
Engines: All.
Source: RFC 9309 2.2 (comment): each field is on a line of its own.
"""

import re
from collections.abc import Iterator

from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C117"
SEVERITY = "warning"

_FIELD = re.compile(
    rb"#[#\s]*((?:dis)?allow[ \t]*:[ \t]*[/*]\S*|user-agent[ \t]*:[ \t]*[\w*-]+)\s*$", re.IGNORECASE
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report comments that are only a rule or a User-agent field, after a field on the same line."""
    for line in subject.lines:
        if line.name_start < line.name_end and line.comment_start < len(line.text):
            found = _FIELD.match(line.text, line.comment_start)
            if found:
                message = f"{quoted(found[1])} is in a comment, so it has no effect; write it on its own line"
                yield Problem(line.number, found.start(1), found.end(1), message, None)
