"""Check the gaps between the requests of a log to one host against the gaps that were required."""

from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import NamedTuple

from ..origin_state import AgentRules
from ..pace import Delay, WaitReason, required_delay

#: Tolerance in seconds: the log has milliseconds, and clocks are adjusted.
TOLERANCE = 0.05

#: Maximum number of hosts whose last request is in memory.
_MAX_HOSTS = 100_000

#: Codes of the reasons whose span begins with the request that the client knew.
_PAUSES = frozenset(
    why.code
    for why in (WaitReason.RETRY_AFTER, WaitReason.BACK_OFF, WaitReason.VISIT_TIME, WaitReason.SLOW_DOWN)
)


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
        gap = _Gap.of(record["gap"])
        if gap is None:
            return None
        delay = _delay_of_site(record["client"], rules, sent)
        if delay is not None and delay.visit_wait > 1.0:
            return f"Visit-time allowed no request for {delay.visit_wait:.3f} s"
        since_last = None if last is None else sent - last
        seen = [span for span in (since_last, gap.waited) if span is not None]
        if not seen:
            return None
        self.compared += 1
        false = gap.contradiction(sent, since_last)
        if false is not None:
            return false
        # A pause is a span from the request that the client knew; the other gaps apply to any request.
        span = min(seen) if gap.waited is None or gap.source not in _PAUSES else gap.waited
        requirements = [(gap.required, gap.source, span)]
        if delay is not None:
            requirements.append((delay.gap, delay.why.code, min(seen)))
        for required, source, span in requirements:
            if required > 0 and span < required - TOLERANCE:
                return (
                    f"sent {span:.3f} s after the end of the request before; "
                    f"{source} required {required:.3f} s"
                )
        return None


class _Gap(NamedTuple):
    """The gap that a line states: spans in seconds, and a time in seconds since 1970."""

    required: float
    source: str
    waited: float | None
    #: when the request before ended, whichever robot sent it; None if the client knew of no request
    since: float | None

    @classmethod
    def of(cls, gap: object) -> "_Gap | None":
        """Read the field of a line. Raise `ValueError` for numbers that are not finite."""
        if not isinstance(gap, dict):
            return None
        required, waited = float(gap["required"]), gap["waited"]
        waited = None if waited is None else float(waited)
        if not (isfinite(required) and isfinite(waited or 0.0)):
            raise ValueError("the gap is not a number")
        return cls(required, str(gap["source"]), waited, seconds_of(gap.get("since")))

    def contradiction(self, sent: float, since_last: float | None) -> str | None:
        """Return how the gap contradicts the times of the log, or None.

        `since_last` is the span from the end of the last request in the log. The store may know a later one.
        """
        waited = self.waited
        if waited is None and self.since is None:
            return None
        if waited is None or self.since is None:
            return "its gap has only one of the fields waited and since"
        if abs(sent - self.since - waited) > TOLERANCE:
            return "the fields waited and since of its gap contradict each other"
        if since_last is not None and waited - since_last > TOLERANCE:
            return f"waited is {waited:.3f} s, but the request before ended {since_last:.3f} s earlier"
        return None


def _delay_of_site(client: object, rules: AgentRules | None, sent: float) -> Delay | None:
    """Return the delay that the robots.txt of a line asks for; None if it has no rules."""
    if rules is None or rules.rules is None or not isinstance(client, dict):
        return None
    return required_delay(rules.rules, floor=0.0, cap=float(client["crawl_delay_cap"]), now=sent)
