"""The values that a person chooses from a decision log, and whether any record has them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from ...protocol import shortened
from ...study.decision_log import RecordFilter, host_of

#: Maximum number of different values that are counted, and that are listed in a message.
_COUNTED, _LISTED = 1000, 10

#: The options whose values are names; each with the function that returns the value of a record.
_VALUES: dict[str, Callable[[Mapping[str, object]], object]] = {
    "host": host_of,
    "reason": lambda record: record.get("reason"),
    "status": lambda record: record.get("status"),
    "id": lambda record: record.get("id"),
}


class ChosenValues:
    """Finds the values of a selection that no record has.

    >>> chosen = ChosenValues(RecordFilter(reasons=frozenset(["nosuch"])))
    >>> chosen.count({"reason": "longest-match"})
    >>> list(chosen.unmatched())
    ["--reason 'nosuch': no record has it; the log has longest-match"]
    """

    def __init__(self, selection: RecordFilter) -> None:
        chosen = zip(
            _VALUES, (selection.hosts, selection.reasons, selection.statuses, selection.ids), strict=True
        )
        self._missing: dict[str, set[object]] = {name: {*values} for name, values in chosen if values}
        self._found: dict[str, Counter[object]] = {name: Counter() for name in self._missing}

    def count(self, record: Mapping[str, object]) -> None:
        """Count the values of a record."""
        for name, missing in self._missing.items():
            value, found = _VALUES[name](record), self._found[name]
            missing.discard(value)
            if value is not None and (value in found or len(found) < _COUNTED):
                found[value] += 1

    def unmatched(self) -> Iterator[str]:
        """Yield a message for each value that no record has, with the most frequent ones in the log."""
        for name, missing in self._missing.items():
            known = [shortened(str(value), 100) for value, _ in self._found[name].most_common(_LISTED)]
            for value in sorted(map(str, missing)):
                listed = f"; the log has {', '.join(known)}" if known and name != "id" else ""
                yield f"--{name} {value!r}: no record has it{listed}"
