"""Which origin is to be looked at next, and when."""

from heapq import heappop, heappush
from itertools import count

__all__ = ["Agenda"]


class Agenda:
    """Origins, each with the time from which it is to be looked at; of two the one that was put in first.

    >>> agenda = Agenda()
    >>> agenda.put("http://a.example", 5.0), agenda.put("http://b.example", 3.0)
    (None, None)
    >>> agenda.put("http://b.example", 7.0)  # another time for the same
    >>> agenda.first()
    ('http://a.example', 5.0)
    >>> agenda.remove("http://a.example"), agenda.remove("http://b.example"), agenda.first()
    (None, None, None)
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._heap: list[tuple[float, int, str]] = []
        #: which entry of the heap holds for each; others are left behind, until they are the first
        self._holds: dict[str, int] = {}
        self._order = count()

    def __contains__(self, origin: str) -> bool:
        return origin in self._holds

    def __len__(self) -> int:
        return len(self._holds)

    def put(self, origin: str, when: float) -> None:
        """Have an origin looked at from a time on."""
        number = self._holds[origin] = next(self._order)
        heappush(self._heap, (when, number, origin))

    def remove(self, origin: str) -> None:
        """Have an origin looked at no more."""
        self._holds.pop(origin, None)

    def first(self) -> tuple[str, float] | None:
        """Give the origin that is to be looked at first, and from when on."""
        while self._heap:
            when, number, origin = self._heap[0]
            if self._holds.get(origin) == number:
                return origin, when
            heappop(self._heap)
        return None
