"""Bytes -> lines: what each line of the file says, and where in it.

Two functions read the same language. `fields` is the hot path: name and value of each line that
has a meaning, and nothing else. `lines` is the whole truth: every line with exact spans, so that
joined together the lines are the input again. A property test holds them equal.
"""

from collections.abc import Iterator
from functools import lru_cache

from ..value import Value
from .dialect import Dialect
from .grammar import BOM, COMMENT, FIELDS, PREFIXES, SEPARATOR, TYPOS

__all__ = ["Line", "fields", "lines"]

#: How much is split into lines at once: bounds the memory of a huge body of tiny lines.
_CHUNK = 1 << 20

#: The first two letters of every name that a field can have, misspelt or not.
_BEGINNINGS = {name[:2].encode() for name in (*FIELDS, *TYPOS, "acap-")}

#: What `_read` gives for a line without text where that ends a group.
BLANK = "blank"


class Line(Value):
    r"""One line of a robots.txt: its octets, and where field and value stand in them.

    Positions are offsets in octets, from the beginning of the line; `start` is the line's own
    offset in the file. `field` is the name that the line was read as, in lower case ("disallow"
    for `Disalow: /x` too), or `None` for a line that is blank, only a comment, or nothing known.

    >>> import comity
    >>> line = comity.parse(b"User-agent: *\nDisallow : /x # why").lines[1]
    >>> line.number, line.start, line.field, line.value
    (2, 14, 'disallow', b'/x')
    >>> line.text[line.name_start : line.name_end], line.text[line.comment_start :]
    (b'Disallow', b'# why')
    """

    __slots__ = (
        "number",
        "start",
        "text",
        "end_of_line",
        "field",
        "name_start",
        "name_end",
        "value_start",
        "value_end",
        "comment_start",
    )
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
        """The line as it stands in the file, with its end: `b"".join(line.raw ...)` is the file."""
        return self.text + self.end_of_line

    @property
    def name(self) -> bytes:
        """The field as it is written, empty if the line has none."""
        return self.text[self.name_start : self.name_end]

    @property
    def value(self) -> bytes:
        """What follows the colon, without white space around it and without the comment."""
        return self.text[self.value_start : self.value_end]

    @property
    def end(self) -> int:
        """The offset in the file at which the text ends, before the end of line."""
        return self.start + len(self.text)


def fields(body: bytes, dialect: Dialect) -> list[tuple[int, str, bytes]]:
    """Give (line number, field, value) of each line that has a meaning, in order.

    Where blank lines count, each of them gives (line number, "blank", b"").
    """
    known = _spellings(dialect)
    found: list[tuple[int, str, bytes]] = []
    plain = not dialect.blank_line_ends_group
    number = 0
    for chunk in _chunks(body[_mark(body, dialect) :]):
        for text in _clipped(chunk.splitlines(), chunk, dialect):
            number += 1
            name, colon, value = text.partition(SEPARATOR)
            field = known.get(name)
            if field is None or not colon:
                if plain and not text:
                    continue
                # Comments and whole web pages are quick to tell from fields.
                if text.lstrip()[:2].lower() not in _BEGINNINGS and (plain or text.strip()):
                    continue
                field, _, _, start, end = _read(text, dialect)
                if field is not None:
                    found.append((number, field, text[start:end]))
            elif COMMENT in value:
                found.append((number, field, value.partition(COMMENT)[0].strip()))
            else:
                found.append((number, field, value.strip()))
    return found


def lines(body: bytes, dialect: Dialect) -> Iterator[Line]:
    """Give every line with its spans; their `raw` octets joined are the body."""
    start = 0
    skip = _mark(body, dialect)
    number = 0
    for chunk in _chunks(body):
        for raw in chunk.splitlines(keepends=True):
            number += 1
            text = raw.rstrip(b"\r\n")
            (seen,) = _clipped([text[skip:]], text, dialect)
            field, name_start, name_end, value_start, value_end = _read(seen, dialect)
            comment = seen.find(COMMENT)
            yield Line(
                number=number,
                start=start,
                text=text,
                end_of_line=raw[len(text) :],
                field=None if field == BLANK else field,
                name_start=skip + name_start,
                name_end=skip + name_end,
                value_start=skip + value_start,
                value_end=skip + value_end,
                comment_start=skip + (comment if comment >= 0 else len(seen)),
            )
            start += len(raw)
            skip = 0


def _mark(body: bytes, dialect: Dialect) -> int:
    """Count the octets of a byte order mark that are skipped."""
    if body.startswith(BOM):
        return len(BOM)
    if dialect.partial_bom:
        return 2 if body.startswith(BOM[:2]) else 1 if body.startswith(BOM[:1]) else 0
    return 0


def _chunks(body: bytes) -> Iterator[bytes]:
    """Cut a large body after line feeds, where no end of line can be torn apart."""
    start = 0
    while len(body) - start > _CHUNK:
        end = body.find(b"\n", start + _CHUNK) + 1
        if not end:
            break
        yield body[start:end]
        start = end
    yield body[start:] if start else body


def _clipped(texts: list[bytes], source: bytes, dialect: Dialect) -> list[bytes]:
    """Drop what the dialect does not read of a line: past its limit, or from a NUL on."""
    limit = dialect.line_limit
    if limit is not None and len(source) > limit:
        texts = [text[:limit] for text in texts]
    if dialect.nul_ends_line and b"\0" in source:
        texts = [text.partition(b"\0")[0] for text in texts]
    return texts


@lru_cache(maxsize=32)
def _spellings(dialect: Dialect) -> dict[bytes, str]:
    """Give the usual ways to write each field, so that most lines need one look-up."""
    table: dict[bytes, str] = {}
    for name in FIELDS:
        if name == "allow" and not dialect.allow:
            continue
        for spelling in (name, name.upper(), name.capitalize(), name.title()):
            table[spelling.encode()] = name
    return table


def _read(text: bytes, dialect: Dialect) -> tuple[str | None, int, int, int, int]:
    """Read one line: its field, and the spans of the field's name and of the value."""
    end = text.find(COMMENT)
    said = (text if end < 0 else text[:end]).rstrip()
    start = len(said) - len(said.lstrip())
    end = len(said)
    if start == end:
        # Only a line with no text at all is blank: one with only a comment vanishes (1994).
        return (BLANK if dialect.blank_line_ends_group and not text.strip() else None), end, end, end, end
    colon = said.find(SEPARATOR)
    if colon >= 0:
        name_end = start + len(said[start:colon].rstrip())
        field = _field(said[start:name_end], dialect)
        if field is not None or dialect.prefixes:
            return field, start, name_end, end - len(said[colon + 1 :].lstrip()), end
    if dialect.typos:
        # A line of two words, with only spaces and tabs between them, may lack its colon (robots.cc,
        # GetKeyAndValueFrom). Google looks no further if there is a colon anywhere, as in an address.
        words = said[start:].replace(b"\t", b" ").split(b" ", 1)
        value = words[-1].lstrip(b" ")
        field = _field(words[0].rstrip(), dialect) if len(words) == 2 and b" " not in value else None
        if field is not None:
            return field, start, start + len(words[0].rstrip()), end - len(value.lstrip()), end
    if colon >= 0:
        return None, start, name_end, end - len(said[colon + 1 :].lstrip()), end
    return None, end, end, end, end


def _field(name: bytes, dialect: Dialect) -> str | None:
    """Say which field a name stands for in this dialect."""
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
