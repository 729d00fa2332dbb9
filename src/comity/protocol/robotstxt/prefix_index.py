"""An index of patterns by how they begin: finds the few that a path can match, among many.

Patterns are put in buckets by the first octets of their literal head. How many octets is chosen
from the heads, so that few are shorter: those are found by one look-up for each length that they
have. A bucket that a question visits and finds crowded is divided again by more octets. What nobody
asks for is never divided, and a site that begins all its patterns alike gains nothing by it.

Building takes a look at each pattern. A path takes a look-up for each bucket that it is in, and one
for each length of the shorter heads there: few, unless the heads are made to nest (`/a`, `/aa`,
`/aaa` ...), and then each of them really does match.
"""

from collections.abc import Sequence

__all__ = ["Heads"]

#: Buckets go by so many octets at the most; heads that agree in all of them are tried one by one.
_WIDEST = 1024

#: Of the heads, one in so many may be shorter than the buckets are wide.
_SHORT = 40

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

    def __init__(self, heads: Sequence[str], ranks: Sequence[int], least: int = 1) -> None:
        """Take the heads of all patterns, and the ranks, in ascending order, to be found here.

        `least` is the number of octets by which the buckets go at the least.
        """
        self._heads = heads
        lengths = sorted([len(heads[rank]) for rank in ranks])
        usual = lengths[len(lengths) // _SHORT] if lengths else 0
        self._width = width = min(max(usual, least), _WIDEST)
        #: ranks by their whole head, where that is shorter than the width
        self._short: dict[str, list[int]] = {}
        #: the others by the first octets of their head: a rank or ranks, until a question visits them
        self._buckets: dict[str, int | list[int] | _Visited | Heads] = {}
        buckets = self._buckets
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
            elif isinstance(others, int):
                buckets[key] = [others, rank]
        self._lengths = sorted({len(key) for key in self._short})

    def candidates(self, path: str) -> list[int]:
        """Give the ranks of all patterns with whose head the path begins, in no particular order."""
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
                found += [rank for rank in bucket[1] if path.startswith(self._heads[rank])]
        elif isinstance(bucket, Heads):
            found += bucket.candidates(path)
        return found

    def _visited(self, key: str, ranks: list[int]) -> "_Visited | Heads":
        """Look into a bucket for the first time; two threads at once put the same in its place."""
        if len(ranks) > _CROWD and self._width < _WIDEST:
            bucket: _Visited | Heads = Heads(self._heads, ranks, self._width + 1)
        else:
            bucket = tuple([self._heads[rank] for rank in ranks]), ranks
        self._buckets[key] = bucket
        return bucket
