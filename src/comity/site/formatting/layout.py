"""Put a robots.txt into the canonical layout, with the same meaning in every dialect.

Three checks keep the meaning. A line is rewritten only if the lexer reads the same field and value from it in
all four dialects. A blank line is added only where no dialect has an open record that it would end. In the
end the meaning of the whole file is compared (`meaning`). If it differs, the body is returned unchanged.

Nothing is sorted, merged or removed, because that is the owner's decision. Nothing is corrected, because
robots disagree on invalid lines; `lint` reports them.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...protocol.robotstxt import engine
from ...protocol.robotstxt.diagnostics.file import binary_format, is_utf16, is_web_page
from ...protocol.robotstxt.document import RobotsTxt, body_of
from ...protocol.robotstxt.engine.dialect import DIALECTS, GOOGLE, RFC9309, Dialect
from ...protocol.robotstxt.engine.grammar import BOM, COMMENT, FIELDS, SEPARATOR
from ...protocol.robotstxt.engine.lexer import BLANK, Line, robots_fields, robots_lines
from ..compare.equivalence import same_meaning

#: Number of bytes that every robot must read (RFC 9309 2.5). Robots may cut a larger file, and formatting
#: would move the cut.
LIMIT = 500 * 1024

#: The spelling of each field, as in the document that introduced it.
SPELLINGS = {
    **{name: name.capitalize().encode() for name in FIELDS},
    "content-usage": b"Content-Usage",
    "content-signal": b"Content-Signal",
}

#: The beginning of a comment that ACAP readers recognize, only at the beginning of a line.
_ACAP_MARKER = b"##acap version="

#: The dialects where a blank line ends a record.
_BLANK_LINE_DIALECTS = [dialect for dialect in DIALECTS.values() if dialect.blank_line_ends_group]


def tidy(robots: bytes | str | RobotsTxt) -> bytes:
    r"""Return a robots.txt in the canonical layout: the same rules and comments in the same order.

    Fields are spelt as in the standards, with one space after the colon and one before a comment. Lines end
    with LF and have no white space at their ends. There is one blank line between groups, and one where there
    were several. The byte order mark is removed. All else is unchanged.

    `robots` is as for `comity.parse`. The result is `bytes`; a `str` is encoded as UTF-8. It means the same
    in every dialect, and formatting it again changes nothing. A body of more than 500 KiB, before or after
    formatting, is returned unchanged, because robots may cut it (RFC 9309 2.5). So is UTF-16, which robots
    cannot read, a binary file and a web page.

    >>> import comity
    >>> print(comity.tidy(b"\xef\xbb\xbfUSER-AGENT:*\r\n\r\n\r\ndisallow :/x#why\r\nuser-agent:a").decode())
    User-agent: *
    <BLANKLINE>
    Disallow: /x #why
    <BLANKLINE>
    User-agent: a
    <BLANKLINE>

    Raises `TypeError` if `robots` is neither bytes nor str. Invalid content does not raise.
    """
    return format_or_reason(body_of(robots))[0]


def format_or_reason(body: bytes) -> tuple[bytes, str]:
    r"""Return the canonical layout as `tidy` does, and the reason if the body is returned unchanged.

    >>> format_or_reason(b"allow:/")
    (b'Allow: /\n', '')
    >>> format_or_reason("allow:/".encode("utf-16"))[1]
    'UTF-16, which no robot reads'
    """
    if len(body) > LIMIT:
        return body, "larger than 500 KiB, where robots may cut it"
    if is_utf16(body):
        return body, "UTF-16, which no robot reads"
    if format_of := binary_format(body):
        return body, f"not text, but {format_of}"
    if is_web_page(body, bool(engine.Reading(body, GOOGLE).groups)):
        return body, "a web page or JSON, not a robots.txt"
    source = list(_without_runs(robots_lines(body, RFC9309)))
    after = _joined(_spaced(source, _verified(source)))
    if len(after) > LIMIT:
        return body, "larger than 500 KiB after formatting, where robots may cut it"
    if not same_meaning(body, after):
        return body, "it would be read differently"
    return after, ""


def _joined(texts: Iterable[bytes]) -> bytes:
    return b"".join([text + b"\n" for text in texts])


def _without_runs(source: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, except blank lines that follow another, because they have no effect."""
    blank = False
    for line in source:
        if not (blank and not line.text.strip()):
            yield line
        blank = not line.text.strip()


def _canonical(line: Line) -> bytes:
    """Return the canonical form of a line, which is not verified yet."""
    text = line.text[len(BOM) :] if line.start == 0 and line.text.startswith(BOM) else line.text
    comment = line.text[line.comment_start :].rstrip()
    statement = text[: len(text) - len(line.text) + line.comment_start].strip()
    if not statement:
        # Without its indentation this comment would become an ACAP marker.
        return line.text.rstrip() if comment.lower().startswith(_ACAP_MARKER) else comment
    if text.startswith(BOM[:1]):
        return line.text.rstrip()  # the rest could become a byte order mark
    spelling = _spelling(line)
    if spelling is None:
        return text.rstrip()
    return b" ".join(filter(None, (spelling + SEPARATOR, line.value, comment)))


def _spelling(line: Line) -> bytes | None:
    """Return the canonical name of a line's field, or None if not all dialects read it as a field."""
    field = line.field
    if field is None or line.text[line.name_end : line.value_start].strip() != SEPARATOR:
        return None
    if field.startswith("acap-"):
        return line.name  # it may contain names that ACAP defines
    return SPELLINGS[field] if line.name.lower() == field.encode() else None


def _verified(source: Sequence[Line]) -> list[bytes]:
    """Return each line in its canonical form, or unchanged if a dialect would read it differently."""
    written = [_canonical(line) for line in source]
    changed = [at for at, line in enumerate(source) if at and written[at] != line.text]
    if not changed and written == [line.text for line in source]:
        return written
    # Each line is read alone, but the first one may begin with a byte order mark.
    compared = [0, *changed]
    before, after = _joined(source[at].text for at in compared), _joined(written[at] for at in compared)
    for dialect in DIALECTS.values():
        # The number of the line is compared too, so a field cannot move to another line.
        for number, *_ in set(robots_fields(before, dialect)) ^ set(robots_fields(after, dialect)):
            written[compared[number - 1]] = source[compared[number - 1]].text
    return written


def _spaced(source: Sequence[Line], written: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the lines, with the blank lines between them."""
    begins = _begins_group(written)
    gap = False  # whether a blank line follows the last line
    begun = False
    for number, (line, text) in enumerate(zip(source, written, strict=True), start=1):
        if not text:
            gap = True
            continue
        # A line that begins like a byte order mark must not become the first line.
        like_bom = not begun and line.start > 0 and text.startswith(BOM[:1])
        if like_bom or (begun and (gap or number in begins)):
            yield b""
        yield text
        gap, begun = False, True


def _begins_group(written: Sequence[bytes]) -> set[int]:
    """Return the numbers of the lines where a group begins, so that a blank line may precede them.

    It is a User-agent line that does not continue a group, or the first of the comments right above it.
    """
    body = _joined(written)
    begins = _first_agents(body, RFC9309)
    for dialect in _BLANK_LINE_DIALECTS:
        begins &= _first_agents(body, dialect)
    found: set[int] = set()
    for number in begins:
        while number > 1 and written[number - 2].startswith(COMMENT):
            number -= 1
        found.add(number)
    return found


def _first_agents(body: bytes, dialect: Dialect) -> set[int]:
    """Return the numbers of the User-agent lines that begin a group in a dialect."""
    ends = ("allow", "disallow", BLANK)
    found: set[int] = set()
    continues = False
    for number, field, _ in robots_fields(body, dialect):
        if field == "user-agent":
            if not continues:
                found.add(number)
            continues = True
        elif field in ends:
            continues = False
    return found
