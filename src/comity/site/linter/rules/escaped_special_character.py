"""A pattern has `%3F`, `%2A` or `%24` in it, and so matches no `?`, no wildcard and no end.

`%3F` is reported before the name of a parameter or at the end, `%2A` everywhere, and `%24` at the end.

Why: An escape stands for the plain character. `/*%3Fsort=` does not match `/shop?sort=1`, because the `?`
that begins a query is never escaped in a URL. `%2A` is a star and no wildcard, and `%24` is a dollar sign.

Example:
    User-agent: *
    Disallow: /shop/%3Fsort=
Instead:
    User-agent: *
    Disallow: /shop/?sort=
Engines: All.
Fix: not safe, because the rule then matches other URLs: the character replaces its escape.
Source: RFC 9309 2.2.3: `%24` and `%2A` match the characters themselves; RFC 3986 2.2 and 3.4.
"""

import re
from collections.abc import Iterator

from ..finding import Edit, Fix
from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C325"
SEVERITY = "warning"

_SPECIAL = re.compile(rb"%3[Ff](?=\*?$|[A-Za-z_][\w.-]{0,40}=)|%2[Aa]|%24$")
_MEANT = {b"%3F": b"?", b"%2A": b"*", b"%24": b"$"}


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first such escape of each pattern, with a fix for all."""
    for line in subject.patterns:
        # After a `?`, an escape is part of a value, and rightly so.
        path = line.value.partition(b"?")[0]
        found = [*_SPECIAL.finditer(path)] if b"%" in path else []
        if not found or (len(path) < len(line.value) and found[0][0].upper() == b"%24"):
            continue
        edits = [
            Edit(
                line.start + line.value_start + one.start(),
                line.start + line.value_start + one.end(),
                _MEANT[one[0].upper()],
            )
            for one in found
        ]
        start = line.value_start + found[0].start()
        meant = quoted(_MEANT[found[0][0].upper()])
        message = f"{quoted(found[0][0])} matches only its escaped form in a URL; write {meant}"
        yield Problem(line.number, start, start + 3, message, Fix(tuple(edits), safe=False))
