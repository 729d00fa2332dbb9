"""The state of one origin in a crawl: its rules, and the requests that were sent to it."""

import logging
from weakref import WeakSet

from scrapy import Request

from ...politeness import pace
from ...politeness.records import evidence
from ...protocol.access.outcome import Access, Outcome
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import names_of
from ...protocol.robotstxt.verdict import Verdict
from .options import Options
from .parser import RobotParser

__all__ = ["RobotRules", "Site"]

#: Maximum number of robots whose rules are cached for one origin.
_MAX_AGENTS = 16

_logger = logging.getLogger(__name__)


class RobotRules:
    """The rules of an origin for one robot."""

    __slots__ = ("_demand", "_site", "agent", "names", "rules", "has_preferences")

    def __init__(self, site: "Site", access: Access, agent: str) -> None:
        """Select the rules of a robot."""
        self.agent = agent
        self.names = names_of(agent)
        self.rules: Rules | None = None
        if access.outcome is Outcome.RULES and site.parser is not None:
            self.rules = site.parser.rules_for(agent)
        #: whether the rules state preferences about usage
        self.has_preferences = self.rules is not None and bool(
            self.rules.content_usage or self.rules.content_signals
        )
        self._site = site
        self._demand: pace.Delay | None = None  # cached if it does not depend on the time

    def check(self, url: str) -> Verdict:
        """Return the verdict on a URL."""
        if self.rules is not None:
            return self.rules.check(url)
        assert self._site.access is not None  # noqa: S101  # set before a RobotRules is created
        return self._site.access.check(url, agent=self.agent)

    def demand(self, options: Options, now: float) -> pace.Delay:
        """Return the delays that the next request must observe."""
        if self._demand is not None:
            return self._demand
        wanted = pace.required_delay(self.rules, floor=options.delay, cap=options.crawl_delay_cap, now=now)
        for note in wanted.notes:
            self._site.warn(note)
        if self.rules is None or not (self.rules.request_rates or self.rules.visit_times):
            self._demand = wanted
        return wanted


class Site:
    """One origin: its access, and the requests that were sent to it."""

    __slots__ = (
        "_evidence",
        "_requests",
        "_warned",
        "access",
        "ended",
        "leased_until",
        "not_before",
        "origin",
        "parser",
        "failures",
        "last_failure",
        "in_flight",
        "rules_by_agent",
        "pause_reason",
    )

    def __init__(self, origin: str) -> None:
        """Create the state of an origin whose robots.txt is not known."""
        self.origin = origin
        self.access: Access | None = None
        self.parser: RobotParser | None = None
        self.rules_by_agent: dict[str, RobotRules] = {}
        #: number of requests in flight
        self.in_flight = 0
        #: end of the last request, and end of a pause that the server asked for, by `time.monotonic`
        self.ended = self.not_before = float("-inf")
        #: end of the lease of this worker, if workers share the crawl, by `time.monotonic`
        self.leased_until = float("inf")
        #: reason of the pause, number of failures in a row, and time when a failure was last counted
        self.pause_reason, self.failures, self.last_failure = pace.WaitReason.RETRY_AFTER, 0, float("-inf")
        self._warned: set[str] = set()
        self._evidence: dict[str, object] | None = None
        self._requests: WeakSet[Request] | None = None

    def apply(self, access: Access) -> None:
        """Apply a new answer to the request for robots.txt."""
        self.parser = RobotParser(access.robots, access)
        self.rules_by_agent = {}
        self._evidence = None
        self.access = access

    def expect(self, request: Request) -> None:
        """Record that a request was allowed and will be sent."""
        if self._requests is None:
            self._requests = WeakSet()
        self._requests.add(request)

    @property
    def is_expecting(self) -> bool:
        """Whether an allowed request is waiting or in flight."""
        return bool(self.in_flight or self._requests)

    def drop_rules(self, ready: float) -> None:
        """Drop the cached rules; keep only the earliest time of the next request."""
        self.not_before = max(self.not_before, ready)
        self.access = self.parser = self._evidence = self._requests = None
        self.rules_by_agent = {}

    def rules_for(self, agent: str) -> RobotRules:
        """Return the rules for a robot. The access must be known."""
        rules = self.rules_by_agent.get(agent)
        if rules is None:
            assert self.access is not None  # noqa: S101  # fetched before
            if len(self.rules_by_agent) >= _MAX_AGENTS:
                self.rules_by_agent.clear()
            rules = self.rules_by_agent[agent] = RobotRules(self, self.access, agent)
        return rules

    @property
    def evidence(self) -> dict[str, object] | None:
        """Identification of the deciding robots.txt, for the log; `None` if it is not known."""
        if self._evidence is None and self.access is not None:
            self._evidence = evidence(self.access)
        return self._evidence

    def warn(self, note: str) -> None:
        """Log a warning once."""
        if note not in self._warned:
            self._warned.add(note)
            _logger.warning("%s: %s", self.origin, note)

    @property
    def size(self) -> int:
        """Size of the robots.txt in bytes."""
        return 0 if self.access is None else len(self.access.body)
