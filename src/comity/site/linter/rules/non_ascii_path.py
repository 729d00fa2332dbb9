"""A path has characters beyond ASCII, which some robots compare without escaping them.

Why: URLs have escapes for such characters. RFC 9309 readers and Google escape the pattern as well. Several
libraries do not, and some decode the file with another encoding.

Example:
    User-agent: *
    Disallow: /café/
Instead:
    User-agent: *
    Disallow: /caf%C3%A9/
Engines: Libraries that do not escape; robots that follow the standard of 1994.
Fix: not safe, because robots of 1994 do not decode escapes: the characters are escaped.
Source: RFC 9309 2.2.2; differences between parsers.
"""

from collections.abc import Iterator

from ..problem import Problem, at_value, quoted, replacement
from ..subject import Subject

CODE = "C308"
SEVERITY = "information"
DEFAULT = False


def check(subject: Subject) -> Iterator[Problem]:
    """Report each such pattern, with a fix."""
    if subject.body.isascii():
        return
    for line in subject.patterns:
        if not line.value.isascii():
            escaped = b"".join(bytes((byte,)) if byte < 0x80 else b"%%%02X" % byte for byte in line.value)
            fix = replacement(line, line.value_start, line.value_end, escaped)
            yield at_value(
                line, f"some robots compare these characters without escapes; write {quoted(escaped)}", fix
            )
