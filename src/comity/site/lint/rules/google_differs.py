"""A rule is answered otherwise by Google than by robots that follow RFC 9309.

Why: Google's parser decodes no escapes, reads `Disallowed:` as Disallow, opens a directory by its index page,
and cuts long lines. Where that changes an answer, the file says two things.

Example:
    User-agent: *
    Disallow: /%7Ejoe/
Instead:
    User-agent: *
    Disallow: /~joe/
Engines: Google against the others.
Source: RFC 9309 2.2.2; google/robotstxt; docs/conformance.md tells each difference.
"""

from collections.abc import Iterator

from ..dialect_differences import differences
from ..problem import Problem, at_text
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C701"
SEVERITY = "warning"


def check(subject: Subject) -> Iterator[Problem]:
    """Ask both about URLs that the file's own patterns make, for Google's robots."""
    names = ["Googlebot", *(agent.token for agent in subject.known.values() if agent.operator == "Google")]
    for line, remark in differences(subject, "google", tuple(dict.fromkeys(names)), "Google"):
        # Spaces and characters that clients escape have rules of their own, which say what to write.
        if not any(octet in line.value for octet in b' \t"<>\\^`{|}'):
            yield at_text(line, remark)
