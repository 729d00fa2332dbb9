"""A pattern has `%3F`, `%2A` or `%24` in it, and so matches no `?`, no wildcard and no end.

`%3F` is reported before the name of a parameter or at the end, `%2A` everywhere, and `%24` at the end.

Why: An escape stands for the plain character. `/*%3Fsort=` does not match `/shop?sort=1`, because the `?`
that begins a query is never escaped in a URL. `%2A` is a star and no wildcard, and `%24` is a dollar sign.
By the standard these two match the character in a URL, raw or escaped. Google matches only the escape.

Example:
    User-agent: *
    Disallow: /shop/%3Fsort=
Instead:
    User-agent: *
    Disallow: /shop/?sort=
Engines: All.
Fix: not safe, because the rule then matches other URLs: `?` replaces `%3F`. `%2A` and `%24` have no fix.
Source: RFC 9309 2.2.3: `%24` and `%2A` match the characters themselves; RFC 3986 2.2 and 3.4.
"""

import re
from collections.abc import Iterator

from ....protocol.robotstxt.engine.lexer import Line
from ..finding import Edit, Fix
from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C325"
SEVERITY = "warning"

_SPECIAL = re.compile(rb"%3[Ff](?=\*?$|[A-Za-z_][\w.-]{0,40}=)|%2[Aa]|%24$")
_LITERALS = {b"%2A": (b"*", "is no wildcard"), b"%24": (b"$", "does not mark the end")}


def check(subject: Subject) -> Iterator[Problem]:
    """Report one such escape of each pattern: the first `%3F`, with a fix for all, or else the first."""
    for line in subject.patterns:
        # After a `?`, an escape is part of a value, and rightly so.
        path = line.value.partition(b"?")[0]
        found = [*_SPECIAL.finditer(path)] if b"%" in path else []
        if not found or (len(path) < len(line.value) and found[0][0].upper() == b"%24"):
            continue
        queries = [one for one in found if one[0].upper() == b"%3F"]
        first = (queries or found)[0]
        start = line.value_start + first.start()
        yield Problem(line.number, start, start + 3, _message(first[0]), _fix(line, queries))


def _message(escape: bytes) -> str:
    if escape.upper() not in _LITERALS:
        return f"{quoted(escape)} matches only its escaped form in a URL; write `?`"
    character, effect = _LITERALS[escape.upper()]
    literal = f"{quoted(escape)} {effect}: it matches the character {quoted(character)}, raw or escaped"
    return f"{literal}; Google matches only the escape"


def _fix(line: Line, queries: list[re.Match[bytes]]) -> Fix | None:
    """Return a fix that writes `?` for each `%3F`; a literal character never becomes an operator."""
    begin = line.start + line.value_start
    edits = [Edit(begin + one.start(), begin + one.end(), b"?") for one in queries]
    return Fix(tuple(edits), safe=False) if edits else None
