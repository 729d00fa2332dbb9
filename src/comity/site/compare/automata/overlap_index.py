"""An index of literal prefixes: it finds, among many patterns, those that may match a common path."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

__all__ = ["OverlapIndex"]


class OverlapIndex:
    """The literal prefixes (heads) of some patterns, which are identified by their index.

    >>> sorted(OverlapIndex(["/", "/a", "/ab", "/b"]).overlapping("/a"))
    [0, 1, 2]
    """

    __slots__ = ("_by_head", "_heads", "_lengths", "_numbers")

    def __init__(self, heads: Sequence[str]) -> None:
        """Index the head of each pattern."""
        self._numbers = sorted(range(len(heads)), key=lambda number: heads[number])
        self._heads = [heads[number] for number in self._numbers]
        self._by_head: dict[str, list[int]] = {}
        for number, head in enumerate(heads):
            self._by_head.setdefault(head, []).append(number)
        self._lengths = sorted({len(head) for head in self._by_head})

    def overlapping(self, head: str) -> Iterator[int]:
        """Yield the patterns whose head begins with `head`, or is a prefix of it; shorter heads first."""
        for length in self._lengths:
            if length >= len(head):
                break
            yield from self._by_head.get(head[:length], ())
        first = bisect_left(self._heads, head)
        last = bisect_left(self._heads, head + chr(0x10FFFF), first)
        yield from self._numbers[first:last]
