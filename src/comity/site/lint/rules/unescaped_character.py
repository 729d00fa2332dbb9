r"""A path has a character that URLs do not have as it is.

Why: Browsers and robots write `"`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|` and `}` as escapes. RFC 9309 readers
compare the escapes; Google compares the pattern as it stands.

Example:
    User-agent: *
    Disallow: /{id}/
Instead:
    User-agent: *
    Disallow: /%7Bid%7D/
Engines: Google, whose parser leaves ASCII as it is.
Fix: not safe, since Google then compares something else: the characters are escaped.
Source: RFC 3986 2; RFC 9309 2.2.2; google/robotstxt, `MaybeEscapePattern`.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import is_quoted
from ....protocol.robotstxt.diagnostics.patterns import is_regular
from ..problem import Problem, quoted, replacement
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

CODE = "C307"
SEVERITY = "warning"

_ESCAPES = {octet: b"%%%02X" % octet for octet in b'"<>\\^`{|}'}
_OCTETS = bytes(_ESCAPES)


def check(subject: Subject) -> Iterator[Problem]:
    """Look at each pattern for the first such character."""
    for line in subject.patterns:
        value = line.value
        if not value.startswith((b"/", b"*")) or len(value.translate(None, _OCTETS)) == len(value):
            continue
        if is_quoted(value) or is_regular(value):
            continue
        at = next(at for at, octet in enumerate(value) if octet in _ESCAPES)
        escaped = b"".join(_ESCAPES.get(octet, bytes((octet,))) for octet in value)
        message = f"no URL has {quoted(value[at : at + 1])} as it is; write {_ESCAPES[value[at]].decode()}"
        fix = replacement(line, line.value_start, line.value_end, escaped)
        yield Problem(line.number, line.value_start + at, line.value_start + at + 1, message, fix)
