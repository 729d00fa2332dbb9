"""A path has letters beyond ASCII, which some robots compare as they stand.

Why: URLs have escapes for them. RFC 9309 readers and Google escape the pattern too; several libraries do not,
and some take the file for another encoding.

Example:
    User-agent: *
    Disallow: /café/
Instead:
    User-agent: *
    Disallow: /caf%C3%A9/
Engines: Libraries without escapes; readers of the standard of 1994.
Fix: not safe, since readers of the standard of 1994 know no escapes: the letters are escaped.
Source: RFC 9309 2.2.2; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

__all__ = ["CODE", "DEFAULT", "SEVERITY", "check"]

CODE = "C308"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Look at each pattern."""
    if subject.body.isascii():
        return
    for line in subject.patterns:
        if not line.value.isascii():
            escaped = b"".join(bytes((octet,)) if octet < 0x80 else b"%%%02X" % octet for octet in line.value)
            fix = replacement(line, line.value_start, line.value_end, escaped)
            yield at_value(line, f"URLs have escapes for these letters: {quoted(escaped)}", fix)
