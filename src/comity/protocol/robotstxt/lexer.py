"""Bytes -> lines, with the field and value of each.

Two functions read the same syntax. `fields` is the hot path and returns only field and value of the lines
that have a meaning. `lines` is lossless: every line with exact spans, so that the lines joined are the input
again. A property test checks that both agree.
"""

from collections.abc import Iterator

from ..value import Value
from .dialect import Dialect
from .grammar import BOM, COMMENT, FIELDS, PREFIXES, SEPARATOR, TYPOS

#: Number of bytes that are split into lines at once, which limits memory for a huge body of tiny lines.
_CHUNK = 1 << 20

#: The first two letters of every field name, misspelt ones included.
_BEGINNINGS = {name[:2].encode() for name in (*FIELDS, *TYPOS, "acap-")}

#: The byte of `COMMENT`. CPython finds a number in bytes in a tenth of the time that it takes to find bytes,
#: which it first tries to convert to a number.
_HASH = COMMENT[0]

#: The field of an empty line, in a dialect where that ends a group.
BLANK = "blank"

#: The usual spellings of each field, so that most lines need one look-up.
_SPELLINGS = {
    spelling.encode(): name
    for name in FIELDS
    for spelling in (name, name.upper(), name.capitalize(), name.title())
}
_SPELLINGS_1994 = {spelling: name for spelling, name in _SPELLINGS.items() if name != "allow"}


class Line(Value):
    r"""One line of a robots.txt: its bytes, and the positions of field and value.

    `number` counts from 1. `text` has the bytes of the line without `end_of_line`. `start` is the offset of
    the line in the file. The other positions are byte offsets in the line: `name_start` and `name_end`,
    `value_start` and `value_end`, and `comment_start`, which is the end of the text without a comment.
    `field` is the field that the line was read as, in lower case ("disallow" for `Disalow: /x` too). It is
    `None` for a line that is blank, only a comment, or not a known field.

    >>> import comity
    >>> line = comity.parse(b"User-agent: *\nDisallow : /x # why").lines[1]
    >>> line.number, line.start, line.field, line.value
    (2, 14, 'disallow', b'/x')
    >>> line.text[line.name_start : line.name_end], line.text[line.comment_start :]
    (b'Disallow', b'# why')
    """

    number: int
    start: int
    text: bytes
    end_of_line: bytes
    field: str | None
    name_start: int
    name_end: int
    value_start: int
    value_end: int
    comment_start: int

    @property
    def raw(self) -> bytes:
        """The line as in the file, with its line end: `b"".join(line.raw ...)` is the file."""
        return self.text + self.end_of_line

    @property
    def name(self) -> bytes:
        """The field name as written, empty if the line has none."""
        return self.text[self.name_start : self.name_end]

    @property
    def value(self) -> bytes:
        """The value after the colon, without surrounding white space and without the comment."""
        return self.text[self.value_start : self.value_end]

    @property
    def end(self) -> int:
        """The offset in the file where the text ends, before the line end."""
        return self.start + len(self.text)


def fields(body: bytes, dialect: Dialect) -> list[tuple[int, str, bytes]]:
    """Return (line number, field, value) of each line that has a meaning, in order.

    In a dialect where blank lines end a group, they are included as (line number, "blank", b"").
    """
    known = _SPELLINGS if dialect.allow else _SPELLINGS_1994
    found: list[tuple[int, str, bytes]] = []
    blanks = dialect.blank_line_ends_group
    number = 0
    for chunk in _chunks(body[_mark(body, dialect) :]):
        for text in _clipped(chunk.splitlines(), chunk, dialect):
            number += 1
            name, colon, value = text.partition(SEPARATOR)
            field = known.get(name)
            if field is not None and colon:
                if _HASH in value:
                    value = value.partition(COMMENT)[0]
                found.append((number, field, value.strip()))
                continue
            # Quick checks skip most blank lines, comments and web pages.
            if text[:1] == COMMENT or not (text or blanks):
                continue
            if text.lstrip()[:2].lower() not in _BEGINNINGS and not (blanks and not text.strip()):
                continue
            field, _, _, start, end = _read(text, dialect)
            if field is not None:
                found.append((number, field, text[start:end]))
    return found


def lines(body: bytes, dialect: Dialect) -> Iterator[Line]:
    """Yield every line with its spans; their `raw` bytes joined are the body."""
    start = 0
    skip = _mark(body, dialect)
    number = 0
    empty = _read(b"", dialect)
    for chunk in _chunks(body):
        for raw in chunk.splitlines(keepends=True):
            number += 1
            text = raw.rstrip(b"\r\n")
            (seen,) = _clipped([text[skip:]], text, dialect)
            field, name_start, name_end, value_start, value_end = _read(seen, dialect) if seen else empty
            comment = seen.find(COMMENT)
            yield Line(  # by position, which is twice as fast as by name
                number,
                start,
                text,
                raw[len(text) :],
                None if field == BLANK else field,
                skip + name_start,
                skip + name_end,
                skip + value_start,
                skip + value_end,
                skip + (comment if comment >= 0 else len(seen)),
            )
            start += len(raw)
            skip = 0


def _mark(body: bytes, dialect: Dialect) -> int:
    """Return the number of bytes of a byte order mark that are skipped."""
    if body.startswith(BOM):
        return len(BOM)
    if dialect.partial_bom:
        return 2 if body.startswith(BOM[:2]) else 1 if body.startswith(BOM[:1]) else 0
    return 0


def _chunks(body: bytes) -> Iterator[bytes]:
    """Split a large body after line feeds, so that no CRLF is divided."""
    start = 0
    while len(body) - start > _CHUNK:
        end = body.find(b"\n", start + _CHUNK) + 1
        if not end:
            break
        yield body[start:end]
        start = end
    yield body[start:] if start else body


def _clipped(texts: list[bytes], source: bytes, dialect: Dialect) -> list[bytes]:
    """Return the lines without the text that the dialect ignores: beyond its limit, or from a NUL on."""
    limit = dialect.line_limit
    if limit is not None and len(source) > limit:
        texts = [text[:limit] for text in texts]
    if dialect.nul_ends_line and b"\0" in source:
        texts = [text.partition(b"\0")[0] for text in texts]
    return texts


def _read(text: bytes, dialect: Dialect) -> tuple[str | None, int, int, int, int]:
    """Return the field of a line, and the spans of the field's name and of the value."""
    end = text.find(COMMENT)
    content = (text if end < 0 else text[:end]).rstrip()
    start = len(content) - len(content.lstrip())
    end = len(content)
    if start == end:
        # Only a line without any text is blank: a line with only a comment is ignored (1994).
        return (BLANK if dialect.blank_line_ends_group and not text.strip() else None), end, end, end, end
    colon = content.find(SEPARATOR)
    if colon >= 0:
        name_end = start + len(content[start:colon].rstrip())
        field = _field(content[start:name_end], dialect)
        if field is not None or dialect.prefixes:
            return field, start, name_end, end - len(content[colon + 1 :].lstrip()), end
    if dialect.typos:
        # A line of two words, with only spaces and tabs between them, may lack its colon (robots.cc,
        # GetKeyAndValueFrom). Google does not accept this if there is a colon anywhere, as in a URL.
        words = content[start:].replace(b"\t", b" ").split(b" ", 1)
        value = words[-1].lstrip(b" ")
        field = _field(words[0].rstrip(), dialect) if len(words) == 2 and b" " not in value else None
        if field is not None:
            return field, start, start + len(words[0].rstrip()), end - len(value.lstrip()), end
    if colon >= 0:
        return None, start, name_end, end - len(content[colon + 1 :].lstrip()), end
    return None, end, end, end, end


def _field(name: bytes, dialect: Dialect) -> str | None:
    """Return the field that a name stands for in this dialect."""
    lowered = name.lower().decode("latin-1")
    if dialect.prefixes:
        for prefix, field in PREFIXES:
            known = dialect.typos or prefix == field
            if known and lowered.startswith(prefix) and (dialect.allow or field != "allow"):
                return field
    if lowered in FIELDS:
        return lowered if dialect.allow or lowered != "allow" else None
    if lowered.startswith("acap-"):
        return lowered
    return TYPOS.get(lowered) if dialect.typos else None
