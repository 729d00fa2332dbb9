"""A robots.txt in its canonical layout, which means the same in every dialect.

What means the same is not believed but proven, thrice. A line is rewritten only if all four dialects read
the same field and the same value of it as before, which the lexer is asked; if one does not, the line stays
as it was written. A blank line comes in only where no dialect has a record open that it would end. And at
the end the whole of what was read is compared with what will be (`meaning`); were they to differ, the
body would be given back untouched.

What might be thought to belong here but does not: nothing is sorted, merged, or taken away, since that is
the owner's business, and nothing is mended, since robots disagree on what is broken. That is told by `lint`.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...protocol.robotstxt.diagnostics.file import is_utf16
from ...protocol.robotstxt.dialect import DIALECTS, RFC9309, Dialect
from ...protocol.robotstxt.grammar import BOM, COMMENT, FIELDS, SEPARATOR
from ...protocol.robotstxt.lexer import BLANK, Line, fields, lines
from ...protocol.text import to_bytes
from ..compare.meaning import same_meaning

__all__ = ["LIMIT", "SPELLINGS", "format", "format_or_reason"]

#: Octets that every robot must read (RFC 9309 2.5). What is longer is cut somewhere by some, and a cut
#: elsewhere would be another meaning.
LIMIT = 500 * 1024

#: How each field is written: as in the text that brought it up.
SPELLINGS = {
    **{name: name.capitalize().encode() for name in FIELDS},
    "content-usage": b"Content-Usage",
    "content-signal": b"Content-Signal",
}

#: A comment that means something to those who read ACAP, and only where the line begins with it.
_ACAP_MARKER = b"##acap version="

#: The dialects in which a blank line ends a record.
_BLANK_COUNTS = [dialect for dialect in DIALECTS.values() if dialect.blank_line_ends_group]


def format(body: bytes | str) -> bytes:  # noqa: A001  # the name that the other tools of the trade have
    r"""Give a robots.txt in its canonical layout: the same rules and comments in the same order.

    Fields are spelt as in the standards, with one space after the colon and before a comment; lines end
    with LF and have no white space at their ends; no line is blank but one between groups, and where
    there was one; the byte order mark goes. Whatever else is in the file stays as it is written.

    The result is `bytes`, as a file is, also for a `str`, which is taken as UTF-8. It is its own
    canonical layout, and means the same as before in every dialect. A body of more than 500 KiB, before or
    after, is given back as it is, since some robots cut there (RFC 9309 2.5), and so is UTF-16, of which
    nobody reads anything.

    >>> import comity
    >>> print(comity.format(b"\xef\xbb\xbfUSER-AGENT:*\r\n\r\n\r\ndisallow :/x#why\r\nuser-agent:a").decode())
    User-agent: *
    <BLANKLINE>
    Disallow: /x #why
    <BLANKLINE>
    User-agent: a
    <BLANKLINE>

    Content never raises; a body that is neither bytes nor text raises `TypeError`.
    """
    return format_or_reason(to_bytes(body))[0]


def format_or_reason(body: bytes) -> tuple[bytes, str]:
    r"""Give the canonical layout as `format` does, and why it is not given, if the body is left as it is.

    >>> format_or_reason(b"allow:/")
    (b'Allow: /\n', '')
    >>> format_or_reason("allow:/".encode("utf-16"))[1]
    'UTF-16, which no robot reads'
    """
    if len(body) > LIMIT:
        return body, "larger than 500 KiB, where robots may cut it"
    if is_utf16(body):
        return body, "UTF-16, which no robot reads"
    source = list(_without_runs(lines(body, RFC9309)))
    after = _joined(_spaced(source, _proven(source)))
    if len(after) > LIMIT:
        return body, "larger than 500 KiB after formatting, where robots may cut it"
    if not same_meaning(body, after):
        return body, "it would be read otherwise"
    return after, ""


def _joined(texts: Iterable[bytes]) -> bytes:
    return b"".join([text + b"\n" for text in texts])


def _without_runs(source: Iterable[Line]) -> Iterator[Line]:
    """Pass over blank lines that follow one, which nobody tells from one alone."""
    blank = False
    for line in source:
        if not (blank and not line.text.strip()):
            yield line
        blank = not line.text.strip()


def _canonical(line: Line) -> bytes:
    """Give a line as it should be, if nobody reads it otherwise then."""
    text = line.text[len(BOM) :] if line.start == 0 and line.text.startswith(BOM) else line.text
    comment = line.text[line.comment_start :].rstrip()
    said = text[: len(text) - len(line.text) + line.comment_start].strip()
    if not said:
        # Without what stands before it, this comment would become a mark.
        return line.text.rstrip() if comment.lower().startswith(_ACAP_MARKER) else comment
    if text.startswith(BOM[:1]):
        return line.text.rstrip()  # what follows a mark could become one
    spelling = _spelling(line)
    if spelling is None:
        return text.rstrip()
    return b" ".join(filter(None, (spelling + SEPARATOR, line.value, comment)))


def _spelling(line: Line) -> bytes | None:
    """Give the name of a line's field as it should be; `None` for what is no field, or not to everybody."""
    field = line.field
    if field is None or line.text[line.name_end : line.value_start].strip() != SEPARATOR:
        return None
    if field.startswith("acap-"):
        return line.name  # ACAP's own names may be part of it
    return SPELLINGS[field] if line.name.lower() == field.encode() else None


def _proven(source: Sequence[Line]) -> list[bytes]:
    """Rewrite each line that every dialect then reads as before; give the others as they are written."""
    written = [_canonical(line) for line in source]
    before, after = _joined(line.text for line in source), _joined(written)
    for dialect in DIALECTS.values():
        # Lines are read one by one, so that what one was read as cannot hide in another.
        for number, *_ in set(fields(before, dialect)) ^ set(fields(after, dialect)):
            written[number - 1] = source[number - 1].text
    return written


def _spaced(source: Sequence[Line], written: Sequence[bytes]) -> Iterator[bytes]:
    """Give the lines with the blank lines that belong between them."""
    begins = _begins_group(written)
    gap = False  # is there a blank line since the last that was given?
    begun = False
    for number, (line, text) in enumerate(zip(source, written, strict=True), start=1):
        if not text:
            gap = True
            continue
        # A line that begins like a byte order mark must not become the first of the file.
        marked = not begun and line.start > 0 and text.startswith(BOM[:1])
        if marked or (begun and (gap or number in begins)):
            yield b""
        yield text
        gap, begun = False, True


def _begins_group(written: Sequence[bytes]) -> set[int]:
    """Give the numbers of the lines before which a blank line may come, since there a group begins.

    That is a User-agent line which joins no group before it, or the first of the comments right above.
    """
    body = _joined(written)
    begins = _first_agents(body, RFC9309)
    for dialect in _BLANK_COUNTS:
        begins &= _first_agents(body, dialect)
    found: set[int] = set()
    for number in begins:
        while number > 1 and written[number - 2].startswith(COMMENT):
            number -= 1
        found.add(number)
    return found


def _first_agents(body: bytes, dialect: Dialect) -> set[int]:
    """Give the numbers of the User-agent lines that begin a group in a dialect."""
    ends = ("allow", "disallow", BLANK, "content-usage" if dialect.usage_ends_header else BLANK)
    found: set[int] = set()
    joins = False
    for number, field, _ in fields(body, dialect):
        if field == "user-agent":
            if not joins:
                found.add(number)
            joins = True
        elif field in ends:
            joins = False
    return found
