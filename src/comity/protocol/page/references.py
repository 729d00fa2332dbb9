"""Character references in attribute values (HTML 13.2.5.73)."""

import re
from html import unescape
from html.entities import html5

#: `&copy=2` is not a reference.
_REFERENCE = re.compile(r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);?|[0-9a-zA-Z]++(?:;|(?!=)))")


def unescaped(value: str) -> str:
    """Return the value of an attribute with its character references decoded.

    >>> unescaped("a?b=1&amp;c=2&copy=3")
    'a?b=1&c=2&copy=3'
    """
    return _REFERENCE.sub(_character, value) if "&" in value else value


def unescaped_offsets(value: str) -> tuple[str, list[int]]:
    """Return the decoded value, and the offset in the written value of each character and of the end.

    >>> unescaped_offsets("a&amp;b")
    ('a&b', [0, 1, 6, 7])
    """
    parts, offsets, at = [], [], 0
    for found in _REFERENCE.finditer(value):
        text = _character(found)
        parts += [value[at : found.start()], text]
        offsets += [*range(at, found.start()), *[found.start()] * len(text)]
        at = found.end()
    return "".join((*parts, value[at:])), [*offsets, *range(at, len(value) + 1)]


def _character(reference: "re.Match[str]") -> str:
    written = reference[0]
    if written[1] != "#":
        return html5.get(written[1:], written)
    # `int`, which `unescape` uses, refuses numbers of more than 4300 digits
    digits = written[2:].rstrip(";").lstrip("xX0")
    return unescape(written) if len(digits) <= 7 else "\ufffd"
