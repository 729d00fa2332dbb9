r"""A path has a character that URLs always escape.

Why: Browsers and robots escape `"`, `<`, `>`, `^`, `` ` ``, `{`, `|` and `}`. RFC 9309 readers compare the
escaped form; Google compares the pattern without escaping it. A backslash becomes a slash in browsers.

Example:
    User-agent: *
    Disallow: /{id}/
Instead:
    User-agent: *
    Disallow: /%7Bid%7D/
Engines: Google, whose parser does not escape ASCII characters.
Fix: not safe, because the rule then matches other URLs for Google: the characters are escaped, and
a slash replaces a backslash.
Source: RFC 3986 2; RFC 9309 2.2.2; google/robotstxt, `MaybeEscapePattern`; WHATWG URL, on backslashes.
"""

from collections.abc import Iterator

from ....protocol.robotstxt.diagnostics.fields import is_quoted
from ....protocol.robotstxt.diagnostics.patterns import is_regular
from ..problem import Problem, quoted, replacement
from ..subject import Subject

CODE = "C307"
SEVERITY = "warning"

_ESCAPES = {byte: b"%%%02X" % byte for byte in b'"<>^`{|}'} | {ord("\\"): b"/"}
_UNESCAPED = bytes(_ESCAPES)


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such character of each pattern, with a fix for all."""
    for line in subject.patterns:
        value = line.value
        if not value.startswith((b"/", b"*")) or len(value.translate(None, _UNESCAPED)) == len(value):
            continue
        if is_quoted(value) or is_regular(value):
            continue
        at = next(at for at, byte in enumerate(value) if byte in _ESCAPES)
        escaped = b"".join(_ESCAPES.get(byte, bytes((byte,))) for byte in value)
        sign, escape = quoted(value[at : at + 1]), quoted(_ESCAPES[value[at]])
        sent = "browsers send a slash for" if value[at : at + 1] == b"\\" else "URLs always escape"
        message = f"{sent} {sign}; write {escape}"
        fix = replacement(line, line.value_start, line.value_end, escaped)
        yield Problem(line.number, line.value_start + at, line.value_start + at + 1, message, fix)
