"""A value has an HTML entity, such as `&amp;`, instead of a plain character.

Why: A robots.txt is text, not HTML. `&amp;` is read as five characters, which no URL has.

Example:
    User-agent: *
    Disallow: /list?a=1&amp;b=2
Instead:
    User-agent: *
    Disallow: /list?a=1&b=2
Engines: All.
Fix: not safe, because the line changes its meaning: the character replaces the entity.
Source: RFC 9309 2.3: robots.txt is `text/plain`.
"""

import re
from collections.abc import Iterator

from ..finding import Edit, Fix
from ..problem import Problem, quoted
from ..subject import Subject

CODE = "C322"
SEVERITY = "error"

_ENTITIES = {
    b"&amp;": b"&",
    b"&quot;": b"%22",
    b"&lt;": b"%3C",
    b"&gt;": b"%3E",
    b"&#38;": b"&",
    b"&#x26;": b"&",
}
_AMPERSAND = b"amp;|#38;|#x26;"

#: An entity, also if it was escaped several times: the `&` of a decoded entity may begin another entity.
_ENTITY = re.compile(b"&(?:%b|(?!))*+(quot;|lt;|gt;)|&(?:%b|(?!))++" % (_AMPERSAND, _AMPERSAND))


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first entity of each value, with a fix for all."""
    for line in [*subject.patterns, *subject.sitemaps]:
        if b"&" not in line.value:
            continue
        found = list(_ENTITY.finditer(line.value))
        if found:
            begin = line.start + line.value_start
            edits = [
                Edit(begin + each.start(), begin + each.end(), _ENTITIES[b"&" + (each[1] or b"amp;")])
                for each in found
            ]
            start = line.value_start + found[0].start()
            entity = next(entity for entity in _ENTITIES if line.text.startswith(entity, start))
            message = f"{quoted(entity)} is read as plain text; write {quoted(_ENTITIES[entity])}"
            yield Problem(line.number, start, start + len(entity), message, Fix(tuple(edits), safe=False))
