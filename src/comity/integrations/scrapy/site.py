"""The state of one origin in a crawl: its rules, and the requests that were sent to it."""

import logging
from typing import NamedTuple
from weakref import WeakSet

from scrapy import Request

from ...politeness import AgentRules, HostRules, OriginState, PauseTracker, required_gap
from ...protocol.access import Access, Outcome
from ...stores import Delay
from .project_settings import Options
from .robot_parser import RobotParser

#: Maximum number of robots whose rules are cached for one origin.
_MAX_AGENTS = 16

_logger = logging.getLogger(__name__)


class RobotName(NamedTuple):
    """The name of a robot in robots.txt, and the token of its header if that is another one."""

    name: str
    header_token: str | None


class Host(HostRules):
    """The pace of one host, which its origins share. Times are those of `time.monotonic`."""

    __slots__ = ("__weakref__", "ended", "in_flight", "name", "pauses", "response_time")

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name: str = name
        #: number of requests in flight
        self.in_flight: int = 0
        #: end of the last request
        self.ended: float = float("-inf")
        self.pauses: PauseTracker = PauseTracker()
        #: smoothed response time in seconds
        self.response_time: float = 0.0

    @property
    def not_before(self) -> float:
        """The end of the pause that the server asked for."""
        return self.pauses.not_before

    def slowed(self, delay: Delay) -> Delay:
        """Return a delay with a longer gap if the host is slow."""
        if not delay.slow_down:
            return delay
        gap, why = required_gap(delay, self.response_time)
        return delay.replace(gap=gap, why=why) if gap > delay.gap else delay

    def pause_until(self, time: float) -> None:
        """Send no request before a time. A longer pause stays."""
        self.pauses.not_before = max(self.pauses.not_before, time)


class ScrapySite(OriginState):
    """One origin: its access, and the host that its requests are sent to."""

    __slots__ = (
        "_acap",
        "_requests",
        "_rules_by_agent",
        "_warned",
        "host",
        "is_updating",
        "leased_until",
        "parser",
    )

    def __init__(self, origin: str, host: Host, *, acap: bool = False) -> None:
        super().__init__(origin)
        self.host: Host = host
        self._acap = acap
        self.parser: RobotParser | None = None
        #: end of the lease of this worker, if workers share the crawl; by `time.monotonic`
        self.leased_until: float = float("inf")
        #: whether its robots.txt is being loaded or fetched
        self.is_updating: bool = False
        self._rules_by_agent: dict[RobotName, AgentRules] = {}
        self._warned: set[str] = set()
        self._requests: WeakSet[Request] | None = None

    def set_access(self, access: Access | None) -> None:
        """Apply a new answer to the request for robots.txt."""
        super().set_access(access)
        self.parser = None if access is None else RobotParser(access.robots, access, acap=self._acap)
        self._rules_by_agent = {}

    def expect(self, request: Request) -> None:
        """Record that a request was allowed and will be sent."""
        if self._requests is None:
            self._requests = WeakSet()
        self._requests.add(request)

    @property
    def is_busy(self) -> bool:
        """Whether an allowed request is waiting or in flight, or its robots.txt is being fetched."""
        return bool(self.host.in_flight or self._requests) or self.is_updating

    def evict(self, options: Options, now: float) -> None:
        """Drop the cached rules; keep only the earliest time of the next request.

        `now` is wall-clock time.
        """
        agents = list(self._rules_by_agent)
        gap = max((self.delay(agent, options, now).gap for agent in agents), default=options.delay)
        self.host.pause_until(self.host.ended + gap)
        if self.host.rules is not None and self.host.rules.access.origin == self.origin:
            self.host.rules = None
        self.set_access(None)
        self.counted_bytes = 0
        self._requests = None

    def rules_for(self, agent: RobotName) -> AgentRules:
        """Return the rules for a robot. The access must be known."""
        rules = self._rules_by_agent.get(agent)
        if rules is None:
            assert self.access is not None  # noqa: S101  # fetched before
            assert self.parser is not None  # noqa: S101
            if len(self._rules_by_agent) >= _MAX_AGENTS:
                self._rules_by_agent.clear()
            parsed = self.parser.rules_for(agent.name) if self.access.outcome is Outcome.RULES else None
            rules = self._rules_by_agent[agent] = AgentRules(
                self.access, agent.name, parsed, acap=self._acap, header_token=agent.header_token
            )
        return rules

    def delay(self, agent: RobotName, options: Options, now: float) -> Delay:
        """Return the delays that the next request must observe. `now` is wall-clock time."""
        rules = None if self.access is None else self.rules_for(agent)
        delay = self.host.required_delay(rules, options, now)
        for note in delay.notes:
            self._warn(note)
        return self.host.slowed(delay)

    def _warn(self, note: str) -> None:
        if note not in self._warned:
            self._warned.add(note)
            _logger.warning("%s: %s", self.origin, note)
