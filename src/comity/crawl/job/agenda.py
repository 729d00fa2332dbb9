"""The times at which origins are due."""

from heapq import heappop, heappush
from itertools import count


class Agenda:
    """A priority queue of origins by time; origins with equal times come in order of insertion.

    >>> agenda = Agenda()
    >>> agenda.put("http://a.example", 5.0), agenda.put("http://b.example", 3.0)
    (None, None)
    >>> agenda.put("http://b.example", 7.0)  # replaces its time
    >>> agenda.first()
    ('http://a.example', 5.0)
    >>> agenda.remove("http://a.example"), agenda.remove("http://b.example"), agenda.first()
    (None, None, None)
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        #: the number of the valid heap item per origin; `first` drops items with other numbers
        self._valid: dict[str, int] = {}
        self._order = count()

    def __contains__(self, origin: str) -> bool:
        return origin in self._valid

    def __len__(self) -> int:
        return len(self._valid)

    def put(self, origin: str, when: float) -> None:
        """Add an origin, or change its time."""
        number = self._valid[origin] = next(self._order)
        heappush(self._heap, (when, number, origin))

    def remove(self, origin: str) -> None:
        """Remove an origin if it is there."""
        self._valid.pop(origin, None)

    def first(self) -> tuple[str, float] | None:
        """Return the earliest origin and its time, or `None` if there is no origin."""
        while self._heap:
            when, number, origin = self._heap[0]
            if self._valid.get(origin) == number:
                return origin, when
            heappop(self._heap)
        return None
