"""Patterns by how they begin: finds those that may match a path together with a given one, among many."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

__all__ = ["Neighbours"]


class Neighbours:
    """The literal heads of some patterns, known by their numbers.

    >>> sorted(Neighbours(["/", "/a", "/ab", "/b"]).of("/a"))
    [0, 1, 2]
    """

    __slots__ = ("_heads", "_lengths", "_numbers", "_whole")

    def __init__(self, heads: Sequence[str]) -> None:
        """Take the head of each pattern."""
        self._numbers = sorted(range(len(heads)), key=lambda number: heads[number])
        self._heads = [heads[number] for number in self._numbers]
        self._whole: dict[str, list[int]] = {}
        for number, head in enumerate(heads):
            self._whole.setdefault(head, []).append(number)
        self._lengths = sorted({len(head) for head in self._whole})

    def of(self, head: str) -> Iterator[int]:
        """Give the patterns with whose head and with this one a path may begin, shorter ones first."""
        for length in self._lengths:
            if length >= len(head):
                break
            yield from self._whole.get(head[:length], ())
        first = bisect_left(self._heads, head)
        last = bisect_left(self._heads, head + chr(0x10FFFF), first)
        yield from self._numbers[first:last]
