"""Read the lines of decision logs, in limited memory."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

#: Maximum length of a line in bytes. The robot's own lines are shorter; the rest of a longer one is skipped.
MAX_LINE = 1 << 20

_CHUNK = 1 << 20


class RawLine(NamedTuple):
    """A line of a file, without its line end.

    `line` is its number in the file, from 1 on. `has_end` is false for a last line without a line end, and
    `is_cut` true for a line that is too long.
    """

    file: str
    line: int
    text: bytes
    has_end: bool
    is_cut: bool


def read_lines(name: str, stream: BinaryIO) -> Iterator[RawLine]:
    r"""Yield the lines of a stream; `name` is the name of its file.

    >>> from io import BytesIO
    >>> [(one.line, one.text, one.has_end) for one in read_lines("log", BytesIO(b"one\n\ntwo"))]
    [(1, b'one', True), (2, b'', True), (3, b'two', False)]
    """
    number = 0
    while text := stream.readline(MAX_LINE + 1):
        number += 1
        has_end = text.endswith(b"\n")
        is_cut = not has_end and len(text) > MAX_LINE
        if is_cut:
            while rest := stream.readline(_CHUNK):
                has_end = rest.endswith(b"\n")
                if has_end:
                    break
        yield RawLine(name, number, text[:-1] if text.endswith(b"\n") else text, has_end, is_cut)
