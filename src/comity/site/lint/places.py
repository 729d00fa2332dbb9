"""Offsets in a file -> lines and columns as people and editors count them."""

from bisect import bisect_right

from ...protocol.robotstxt.grammar import BOM

__all__ = ["Places"]


class Places:
    """The lines of a file, split as robots.txt splits them: at CR, LF and CRLF."""

    def __init__(self, body: bytes) -> None:
        """Take the octets of a file."""
        self._body = body
        self._lines = body.splitlines(keepends=True) or [b""]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def of(self, offset: int) -> tuple[int, int]:
        r"""Give line and column of an octet, both from 1.

        Columns count code points, and octets that are not UTF-8 as one each. A byte order mark at the
        beginning has no width, as editors do not show it.

        >>> Places("# é\n\u30c4: x".encode()).of(9)
        (2, 3)
        """
        at = min(bisect_right(self._starts, offset), len(self._lines)) - 1
        if offset == len(self._body) and self._lines[at].endswith((b"\r", b"\n")):
            return at + 2, 1  # where a further line would begin
        start = self._starts[at]
        before = self._body[start:offset]
        if at == 0:
            before = before.removeprefix(BOM)
        return at + 1, len(before.decode(errors="surrogateescape")) + 1

    def text(self, line: int) -> bytes:
        """Give the text of a line, without its end and without a byte order mark at the beginning."""
        text = self._lines[line - 1].rstrip(b"\r\n")
        return text.removeprefix(BOM) if line == 1 else text
