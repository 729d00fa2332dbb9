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

from collections.abc import Iterator

from ..finding import Edit, Fix
from ..problem import Problem, occurrences, quoted
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
_RESTS = {entity[1:]: character for entity, character in _ENTITIES.items()}


def check(subject: Subject) -> Iterator[Problem]:
    """Report the first entity of each value, with a fix for all."""
    for line in [*subject.patterns, *subject.sitemaps]:
        if b"&" not in line.value:
            continue
        found = [decoded for at in occurrences(line.value, b"&") if (decoded := _decoded(line.value, at))]
        if found:
            edits = [
                Edit(line.value_start + at + line.start, line.value_start + end + line.start, character)
                for at, end, character in found
            ]
            start = line.value_start + found[0][0]
            entity = next(entity for entity in _ENTITIES if line.text.startswith(entity, start))
            message = f"{quoted(entity)} is read as plain text; write {quoted(_ENTITIES[entity])}"
            yield Problem(line.number, start, start + len(entity), message, Fix(tuple(edits), safe=False))


def _decoded(value: bytes, start: int) -> tuple[int, int, bytes] | None:
    """Return the span of an entity and its character, also if it was escaped several times."""
    end = start
    character = b"&"
    while character == b"&":
        # The `&` of a decoded entity may begin another entity.
        rest = next((rest for rest in _RESTS if value.startswith(rest, end + (end == start))), None)
        if rest is None:
            break
        character = _RESTS[rest]
        end += len(rest) + (end == start)
    return (start, end, character) if end > start else None
