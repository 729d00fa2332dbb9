"""Offsets in a file -> lines and columns."""

from collections.abc import Callable

from ...protocol.robotstxt.engine.dialect import RFC9309
from ...protocol.robotstxt.engine.lexer import Lines, column_counter


class Positions:
    """The positions in a file whose lines end with CR, LF or CRLF."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._lines = Lines(body, RFC9309)
        self._columns: dict[int, Callable[[int], int]] = {}

    def line_and_column(self, offset: int) -> tuple[int, int]:
        r"""Return the line and the column of a byte, both counted from 1.

        >>> Positions("# é\n\u30c4: x".encode()).line_and_column(9)
        (2, 3)
        """
        last = len(self._lines) - 1
        if last < 0 or (offset == len(self._body) and self._lines[last].end_of_line):
            return last + 2, 1  # a further line would begin here
        line = self._lines[min(self._lines.index_at(offset), last)]
        if line.number not in self._columns:
            self._columns = {line.number: column_counter(line)}  # a long line may have many findings
        return line.number, self._columns[line.number](offset - line.start)

    def text(self, line: int) -> bytes:
        """Return a line without its end."""
        return self._lines[line - 1].text if line <= len(self._lines) else b""
