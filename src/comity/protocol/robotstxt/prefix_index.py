"""An index of patterns by their literal prefix: finds the few patterns that can match a path.

Patterns are put into buckets by the first characters of their prefix, each character a byte. The number of
characters (the width) is chosen so that few prefixes are shorter; those are found by one look-up for each
length. A crowded bucket is divided by more characters when a question first visits it. Buckets that no
question visits are never divided, and a site gains nothing by beginning all its patterns alike.

Building looks at each pattern once. A path takes one look-up for each bucket that it is in, and one for each
length of the shorter prefixes. Only nested prefixes (`/a`, `/aa`, `/aaa` ...) need many, and those all match.
"""

from collections.abc import Sequence

#: Maximum width of a bucket. Longer prefixes with the same beginning are tried one by one.
_MAX_WIDTH = 1024

#: One in this many prefixes may be shorter than the width.
_SHORT = 40

#: Maximum number of patterns in a bucket that is not divided.
_CROWD = 12

#: A visited, small bucket: the prefixes, and the ranks of their patterns.
_Visited = tuple[tuple[str, ...], list[int]]


class PrefixIndex:
    """The ranks of patterns, found by the literal prefix of each pattern.

    >>> sorted(PrefixIndex(["/shop/", "/", "/shop/cart"], range(3)).candidates("/shop/cart?id=1"))
    [0, 1, 2]
    """

    __slots__ = ("_buckets", "_lengths", "_prefixes", "_short", "_width")

    def __init__(self, prefixes: Sequence[str], ranks: Sequence[int], min_width: int = 1) -> None:
        """Index the patterns of some ranks, in ascending order; `prefixes` has those of all ranks."""
        self._prefixes = prefixes
        lengths = sorted([len(prefixes[rank]) for rank in ranks])
        usual = lengths[len(lengths) // _SHORT] if lengths else 0
        self._width = width = min(max(usual, min_width), _MAX_WIDTH)
        #: Ranks by their whole prefix, if it is shorter than the width.
        self._short: dict[str, list[int]] = {}
        #: The others by the first characters of their prefix: one rank or several, until they are visited.
        self._buckets: dict[str, int | list[int] | _Visited | PrefixIndex] = {}
        buckets = self._buckets
        for rank in ranks:
            key = prefixes[rank][:width]
            if len(key) < width:
                self._short.setdefault(key, []).append(rank)
                continue
            others = buckets.get(key)
            if others is None:
                buckets[key] = rank  # most are alone, and a list each would burden the garbage collector
            elif isinstance(others, list):
                others.append(rank)
            elif isinstance(others, int):
                buckets[key] = [others, rank]
        self._lengths = sorted({len(key) for key in self._short})

    def candidates(self, path: str) -> list[int]:
        """Return the ranks of all patterns whose prefix the path begins with, in no particular order."""
        found: list[int] = []
        for length in self._lengths:
            if path[:length] in self._short:
                found += self._short[path[:length]]
        bucket = self._buckets.get(path[: self._width])
        if bucket is None:
            return found
        if type(bucket) is int:
            if path.startswith(self._prefixes[bucket]):
                found.append(bucket)
            return found
        if type(bucket) is list:
            bucket = self._visited(path[: self._width], bucket)
        if type(bucket) is tuple:
            if path.startswith(bucket[0]):
                found += [rank for rank in bucket[1] if path.startswith(self._prefixes[rank])]
        elif isinstance(bucket, PrefixIndex):
            found += bucket.candidates(path)
        return found

    def _visited(self, key: str, ranks: list[int]) -> "_Visited | PrefixIndex":
        """Divide or freeze a bucket at its first visit; two threads at once store the same result."""
        if len(ranks) > _CROWD and self._width < _MAX_WIDTH:
            bucket: _Visited | PrefixIndex = PrefixIndex(self._prefixes, ranks, self._width + 1)
        else:
            bucket = tuple([self._prefixes[rank] for rank in ranks]), ranks
        self._buckets[key] = bucket
        return bucket
