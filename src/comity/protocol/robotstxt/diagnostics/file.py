"""Checks of the file as a whole, and of the bytes of each line."""

from collections.abc import Iterator, Sequence

from ..dialect import GOOGLE, Dialect
from ..grammar import BOM
from ..lexer import Line
from ..verdict import Group
from .diagnostic import Diagnostic, at_span

#: RFC 9309 2.5: the parsing limit of a robot MUST be at least 500 KiB.
_SIZE = 500 * 1024

_HTML = (b"<!doctype", b"<html", b"<head", b"<?xml", b"<body", b"<script")


def file_diagnostics(body: bytes, lines: Sequence[Line], groups: Sequence[Group]) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the file as a whole, each at the line that shows the problem."""
    start = body[:1024]
    if start.startswith(BOM):
        message = "byte order mark before the first line: some robots ignore that line; remove the mark"
        yield at_span(lines[0], 0, len(BOM), "byte-order-mark", message)
        start = start[len(BOM) :]
    if is_utf16(start):
        message = "the file looks like UTF-16, in which robots find no rules; save it as UTF-8"
        yield at_span(lines[0], 0, 2, "utf-16", message)
    elif is_html(start) or (start.lstrip().startswith((b"<", b"{")) and not groups):
        first = next(line for line in lines if line.text.removeprefix(BOM).strip())
        message = "the file looks like a web page; robots obey only lines that look like rules"
        yield at_span(first, 0, len(first.text), "web-page", message)
    if len(body) > _SIZE:
        last = next(line for line in lines if line.start + len(line.raw) > _SIZE)
        message = (
            f"the file has {len(body):,} bytes; a robot may stop reading in this line, after {_SIZE:,} bytes"
        )
        yield at_span(last, 0, len(last.text), "file-too-large", message)


def line_diagnostics(line: Line, dialect: Dialect) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the length and the characters of a line."""
    text = line.text
    limit = dialect.line_limit or GOOGLE.line_limit or len(text)
    if len(text) > limit:
        reader = "this dialect" if dialect.line_limit else "Google"
        message = f"the line has {len(text):,} bytes; {reader} reads only the first {limit:,}"
        yield at_span(line, limit, len(text), "line-too-long", message)
    mark = text.find(BOM, 1 if line.number == 1 else 0)
    if mark >= 0:
        message = "byte order mark inside the file: robots read it as text; remove it"
        yield at_span(line, mark, mark + len(BOM), "misplaced-byte-order-mark", message)
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            message = f"byte {text[error.start]:02X} is not UTF-8, so it is compared as it is; save as UTF-8"
            yield at_span(line, error.start, error.end, "not-utf-8", message)
    if not text.isascii() or not text.decode().isprintable():
        for at, byte in enumerate(text):
            if (byte < 0x20 and byte != 0x09) or byte == 0x7F:
                message = f"byte {byte:02X} is a control character, which no line may have; remove it"
                yield at_span(line, at, at + 1, "control-character", message)
                break


def is_utf16(body: bytes) -> bool:
    """Return whether a body looks like UTF-16: by its mark, or by a NUL in every second byte.

    >>> is_utf16("User-agent: *".encode("utf-16-le")), is_utf16(b"User-agent: *")
    (True, False)
    """
    halves = body[0:32:2], body[1:32:2]
    return body.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" * 8 in halves[0] + b"x" + halves[1]


def is_html(body: bytes) -> bool:
    """Return whether a body begins like a web page.

    >>> is_html(b" <!DOCTYPE html>"), is_html(b"User-agent: *")
    (True, False)
    """
    return body[:1024].removeprefix(BOM).lstrip().lower().startswith(_HTML)
