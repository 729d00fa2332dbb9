"""Offsets in a file -> lines and columns as people and editors count them."""

from bisect import bisect_right

from ...protocol.robotstxt.grammar import BOM


class Positions:
    """The positions in a file whose lines end with CR, LF or CRLF."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._lines = body.splitlines(keepends=True) or [b""]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        r"""Return the line and the column of a byte, both counted from 1.

        Columns count code points, and each byte that is not UTF-8 as one. A byte order mark at the
        beginning has no width, because editors do not show it.

        >>> Positions("# é\n\u30c4: x".encode()).line_and_column(9)
        (2, 3)
        """
        at = min(bisect_right(self._starts, offset), len(self._lines)) - 1
        if offset == len(self._body) and self._lines[at].endswith((b"\r", b"\n")):
            return at + 2, 1  # a further line would begin here
        before = self._body[self._starts[at] : offset]
        if at == 0:
            before = before.removeprefix(BOM)
        return at + 1, len(before.decode(errors="surrogateescape")) + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset in the file of a column of bytes, both counted from 1."""
        return self._starts[line - 1] + column - 1

    def text(self, line: int) -> bytes:
        """Return a line without its end and without a byte order mark at the beginning."""
        text = self._lines[line - 1].rstrip(b"\r\n")
        return text.removeprefix(BOM) if line == 1 else text
