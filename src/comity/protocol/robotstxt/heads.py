"""An index of patterns by how they begin: finds the few that a path can match, among many.

Patterns are put in buckets by the first octets of their literal head. A bucket that a question
visits and finds crowded is divided by twice as many octets, and so on: what nobody asks for is
never divided, and a site that begins all its patterns alike gains nothing by it. Building takes one
look at each pattern.

Heads that are shorter than the buckets are wide are found by one look-up for each length that they
have; with the last division at 1,536 octets, a file made for it can cause about 1,500 of them.
"""

from collections.abc import Iterable, Sequence

__all__ = ["Heads"]

#: How many octets the first buckets go by, and the last.
_FIRST_WIDTH = 12
_LAST_WIDTH = 1024

#: A bucket with more patterns than this is divided.
_CROWD = 12

#: A bucket that was visited and found small: the heads, and the ranks that have them.
_Visited = tuple[tuple[str, ...], list[int]]


class Heads:
    """Ranks of patterns, to be found by the literal head that each pattern begins with.

    >>> sorted(Heads(["/shop/", "/", "/shop/cart"], range(3)).candidates("/shop/cart?id=1"))
    [0, 1, 2]
    """

    __slots__ = ("_buckets", "_heads", "_lengths", "_short", "_width")

    def __init__(self, heads: Sequence[str], ranks: Iterable[int], width: int = _FIRST_WIDTH) -> None:
        """Take the heads of all patterns, and the ranks, in ascending order, to be found here."""
        self._heads = heads
        self._width = width
        #: ranks by their whole head, where that is shorter than the width
        self._short: dict[str, list[int]] = {}
        #: the others by the first octets of their head: a rank or ranks, until a question visits them
        self._buckets: dict[str, int | list[int] | _Visited | Heads] = {}
        buckets: dict[str, int | list[int]] = {}
        for rank in ranks:
            key = heads[rank][:width]
            if len(key) < width:
                self._short.setdefault(key, []).append(rank)
                continue
            others = buckets.get(key)
            if others is None:
                buckets[key] = rank  # most stand alone, and a list each would keep the collector busy
            elif isinstance(others, list):
                others.append(rank)
            else:
                buckets[key] = [others, rank]
        self._lengths = sorted({len(key) for key in self._short})
        self._buckets.update(buckets)

    def candidates(self, path: str) -> list[int]:
        """Give the ranks of all patterns that the path begins like, in no particular order.

        Few others are among them: of a bucket, all come or none.
        """
        found: list[int] = []
        for length in self._lengths:
            if path[:length] in self._short:
                found += self._short[path[:length]]
        bucket = self._buckets.get(path[: self._width])
        if bucket is None:
            return found
        if type(bucket) is int:
            if path.startswith(self._heads[bucket]):
                found.append(bucket)
            return found
        if type(bucket) is list:
            bucket = self._visited(path[: self._width], bucket)
        if type(bucket) is tuple:
            if path.startswith(bucket[0]):
                found += bucket[1]
        elif isinstance(bucket, Heads):
            found += bucket.candidates(path)
        return found

    def _visited(self, key: str, ranks: list[int]) -> "_Visited | Heads":
        """Look into a bucket for the first time; two threads at once put the same in its place."""
        if len(ranks) > _CROWD and self._width < _LAST_WIDTH:
            bucket: _Visited | Heads = Heads(self._heads, ranks, 2 * self._width)
        else:
            bucket = tuple([self._heads[rank] for rank in ranks]), ranks
        self._buckets[key] = bucket
        return bucket
