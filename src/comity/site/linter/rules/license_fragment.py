"""A `#` cuts the URL of a License line, because it begins a comment.

Why: Robots fetch the whole document. The part after `#` does not choose a section of it.

Example:
    License: https://example.com/license.xml#essays
    User-agent: *
    Disallow: /private/
Instead:
    License: https://example.com/license.xml
    User-agent: *
    Disallow: /private/
Engines: Robots that read License.
Source: RFC 9309 2.2; RSL 1.0 4.4: an absolute URI.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.engine.grammar import LICENSE
from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C611"
SEVERITY = "information"


def check(subject: Subject) -> Iterator[Problem]:
    """Report License lines with a `#` directly after the URL, and text behind it."""
    for line in subject.lines:
        at = line.comment_start
        is_cut = line.value and line.value_end == at and line.text[at + 1 : at + 2].strip(b"# \t")
        if line.field == LICENSE and is_cut:
            message = f"`#` begins a comment, so the licence is {quoted(line.value)}"
            yield Problem(line.number, at, at + 1, message, None)
