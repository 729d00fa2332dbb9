"""The id, the times, the gap and the robot of each request, for the decision log."""

from functools import lru_cache
from weakref import WeakKeyDictionary

from scrapy import Request

from ...politeness.evidence.line import Encoded, fields_text
from ...politeness.recorder import new_request_id
from ...politeness.records import client, gap_part
from ...protocol.product_token import product_token
from ...protocol.robotstxt.selection import names_of
from .options import Options


class RequestFacts:
    """The facts about one request, with times in seconds since 1970; None if they are not known.

    `judged` is when it was judged, `sent` when it left its slot, and `ended` when its response was received.
    """

    __slots__ = ("ended", "gap", "id", "judged", "judged_at", "sent", "waited")

    def __init__(self) -> None:
        self.id: str = new_request_id()
        self.judged: float | None = None
        self.sent: float | None = None
        self.ended: float | None = None
        #: the gap to the request before, as the log has it
        self.gap: Encoded | None = None
        #: the seconds from the judgement to the sending
        self.waited: float | None = None
        #: the time of the judgement on a clock that is never set
        self.judged_at: float | None = None


class FactTable:
    """The facts about the requests of one crawl."""

    def __init__(self, options: Options) -> None:
        """Create the table of a crawl with these options."""
        self._options = options
        self._facts: WeakKeyDictionary[Request, RequestFacts] = WeakKeyDictionary()
        self._encoded = lru_cache(64)(self._encode)

    def of(self, request: Request) -> RequestFacts:
        """Return the facts about a request, created if there are none."""
        facts = self._facts.get(request)
        if facts is None:
            facts = self._facts[request] = RequestFacts()
        return facts

    def judged(self, request: Request, now: float, monotonic: float) -> None:
        """Record that a request is judged."""
        facts = self.of(request)
        facts.judged, facts.judged_at = now, monotonic

    def sent(
        self, request: Request, now: float, monotonic: float, gap: tuple[float, str, float | None] | None
    ) -> None:
        """Record that a request leaves its slot; `gap` is what `gap_part` takes."""
        facts = self.of(request)
        facts.sent = now
        facts.waited = None if facts.judged_at is None else monotonic - facts.judged_at
        facts.gap = None if gap is None else gap_part(*gap)

    def waited(self, request: Request, monotonic: float) -> float | None:
        """Return the seconds from the judgement to the sending or refusal; None if it was not judged."""
        facts = self.of(request)
        if facts.waited is None and facts.judged_at is not None:
            return monotonic - facts.judged_at
        return facts.waited

    def constants(self, agent: str, header: str) -> Encoded:
        """Return the fields of a line that name the robot, encoded; `agent` is its name for robots.txt."""
        return self._encoded(agent, header)

    def _encode(self, agent: str, header: str) -> Encoded:
        requirement = self._options.respect
        respect: dict[str, object] | None = None
        if requirement.categories:
            respect = {
                "uses": list(requirement.categories),
                "only_if_allowed": requirement.only_if_allowed,
            }
        described = client(
            header,
            None,
            names_of(agent),
            policy=self._options.policy.name,
            dialect=self._options.dialect,
            acap=self._options.acap,
            crawl_delay_cap=self._options.crawl_delay_cap,
        )
        return fields_text({"agent": product_token(agent), "client": described, "respect": respect})
