"""A value has an HTML entity, such as `&amp;`, where a plain character was meant.

Why: Robots read text, not HTML. `&amp;` is five characters, and no URL has them.

Example:
    User-agent: *
    Disallow: /list?a=1&amp;b=2
Instead:
    User-agent: *
    Disallow: /list?a=1&b=2
Engines: All.
Fix: not safe, since the line then says something else: the character takes the place of the entity.
Source: RFC 9309 2.3: robots.txt is `text/plain`.
"""

from collections.abc import Iterator

from ..remark import Remark, replacement, shown
from ..subject import Subject

__all__ = ["CODE", "SEVERITY", "check"]

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


def check(subject: Subject) -> Iterator[Remark]:
    """Look for the entities that escaping for HTML makes, first in each value."""
    for line in [*subject.patterns, *subject.sitemaps]:
        if b"&" not in line.value:
            continue
        found = [(at, entity) for entity in _ENTITIES if (at := line.value.find(entity)) >= 0]
        if found:
            at, entity = min(found)
            start = line.value_start + at
            fix = replacement(line, start, start + len(entity), _ENTITIES[entity])
            message = f"{shown(entity)} is HTML, and read as it stands; write {shown(_ENTITIES[entity])}"
            yield Remark(line.number, start, start + len(entity), message, fix)
