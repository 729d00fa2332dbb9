"""Check the gaps between the requests of a log to one host against the gaps that were required."""

from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite

from ..origin_state import AgentRules
from ..pace import required_delay

#: Tolerance in seconds: the log has milliseconds, and clocks are adjusted.
TOLERANCE = 0.05

#: Maximum number of hosts whose last request is in memory.
_MAX_HOSTS = 100_000


def seconds_of(text: object) -> float | None:
    """Return a time of the log in seconds since 1970; None stays None.

    >>> seconds_of("1970-01-01T00:01:00.500Z"), seconds_of(None)
    (60.5, None)

    Raise `ValueError` for any other text.
    """
    if text is None:
        return None
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


class GapCheck:
    """Compares the times of the requests to each host."""

    def __init__(self) -> None:
        self._ends: OrderedDict[str, float | None] = OrderedDict()
        #: number of gaps that were compared
        self.compared: int = 0

    def problem(self, host: str, record: Mapping[str, object], rules: AgentRules | None) -> str | None:
        """Return why a request to a host was sent too early, or None. The request is then the last one."""
        sent, ended = seconds_of(record["sent"]), seconds_of(record["ended"])
        if sent is None:
            return None
        if ended is not None and ended < sent - TOLERANCE:
            return "it ended before it was sent"
        last = self._ends.pop(host, None)
        self._ends[host] = ended if last is None or ended is None else max(ended, last)
        if len(self._ends) > _MAX_HOSTS:
            self._ends.popitem(last=False)
        found = self._too_early(last, sent, record, rules)
        if found is not None:  # the requests that follow are compared with this one alone
            self._ends[host] = ended
        return found

    def _too_early(
        self, last: float | None, sent: float, record: Mapping[str, object], rules: AgentRules | None
    ) -> str | None:
        required, source = _required(record, rules, sent)
        if source == "visit-time":
            return f"Visit-time allowed no request for {required:.3f} s"
        gap = record["gap"]
        waited = gap["waited"] if isinstance(gap, dict) else None
        if last is None and waited is None:
            return None
        self.compared += 1
        seen = sent - last if last is not None else float(str(waited))
        if seen < required - TOLERANCE:
            return (
                f"sent {seen:.3f} s after the end of the request before; {source} required {required:.3f} s"
            )
        return None


def _required(record: Mapping[str, object], rules: AgentRules | None, sent: float) -> tuple[float, str]:
    """Return the gap before a request in seconds, and its source: by its line and by its robots.txt."""
    gap, client = record["gap"], record["client"]
    required, source = 0.0, "gap"
    if isinstance(gap, dict):
        required, source = float(gap["required"]), str(gap["source"])
        if source == "visit-time":
            source = "gap"
        if not isfinite(required):
            raise ValueError("the required gap is not a number")
    if rules is not None and rules.rules is not None and isinstance(client, dict) and gap is not None:
        cap = float(client["crawl_delay_cap"])
        delay = required_delay(rules.rules, floor=0.0, cap=cap, now=sent)
        if delay.visit_wait > 1.0:
            return delay.visit_wait, "visit-time"
        if delay.gap > required:
            required, source = delay.gap, delay.why.code
    return required, source
