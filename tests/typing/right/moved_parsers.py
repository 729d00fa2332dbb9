"""Programs for other parsers, with one import changed: argument order, results and subclasses as there."""

import pickle
from collections.abc import Iterable, Iterator
from datetime import time

import comity.compat.reppy as reppy
import comity.compat.robotexclusionrulesparser as robotexclusionrulesparser
import comity.compat.robotspy as robots
from comity.compat.protego import Protego, RequestRate, VisitTime
from comity.compat.reppy.cache import AgentCache, RobotsCache
from comity.compat.reppy.cache.policy import DefaultObjectPolicy, ReraiseExceptionPolicy
from comity.compat.reppy.robots import Agent, AllowAll, AllowNone, Robots
from comity.compat.reppy.ttl import HeaderWithDefaultPolicy

TEXT = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nRequest-rate: 1/5 0600-0845\nVisit-time: 0600-0845\n"

# Protego: the URL first.
protego = Protego.parse(TEXT)
allowed: bool = protego.can_fetch("https://example.com/x", "ExampleBot")
delay: float | None = protego.crawl_delay("ExampleBot")
rate: RequestRate | None = protego.request_rate("ExampleBot")
window: VisitTime | None = protego.visit_time("ExampleBot")
sitemaps: Iterator[str] = protego.sitemaps
host: str | None = protego.preferred_host
assert rate is not None
requests, seconds, start, end = rate
assert (requests, seconds, start) == (1, 5, time(6))
assert window is not None
assert window.start_time == time(6)
assert not allowed
assert delay == 2.0
assert next(sitemaps, None) is host is None


class Lenient(Protego):
    def can_fetch(self, url: str, user_agent: str) -> bool:
        return url.endswith(".css") or super().can_fetch(url, user_agent)


lenient: Lenient = Lenient.parse(TEXT)
copied: Lenient = pickle.loads(pickle.dumps(lenient))
assert copied.can_fetch("/x.css", "ExampleBot")


# robotspy: the robot first.
class OwnParser(robots.RobotFileParser):
    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__(url)

    def read(self) -> None:
        self.parse(TEXT.splitlines())

    def parse(self, lines: Iterable[str]) -> None:
        super().parse(lines)


parser = OwnParser("https://example.com/robots.txt")
parser.read()
parser.disallow_all = parser.allow_all = False
fetchable: bool = parser.can_fetch("ExampleBot", "https://example.com/x")
messages: list[tuple[str, str]] = parser.errors + parser.warnings
maps: list[str] | None = robots.RobotsParser.from_string(TEXT).sitemaps
moment: float = parser.timestamp
assert (fetchable, maps, moment) == (False, None, 0.0)
assert parser.crawl_delay("ExampleBot") is None

# robotexclusionrulesparser
rerp = robotexclusionrulesparser.RobotExclusionRulesParser()
rerp.user_agent = "ExampleBot/1.0"
rerp.parse(TEXT.encode())
may: bool = rerp.is_allowed("ExampleBot", "/x", syntax=robotexclusionrulesparser.MK1996)
pause: float | None = rerp.get_crawl_delay("ExampleBot")
expiry: float = rerp.expiration_date
lookalike = robotexclusionrulesparser.RobotFileParserLookalike()
lookalike.parse(TEXT.splitlines())
assert (may, pause, rerp.is_expired, rerp.sitemaps) == (False, 2.0, False, [])
assert not lookalike.can_fetch("ExampleBot", "/x")

# reppy
policy = HeaderWithDefaultPolicy(default=1800, minimum=600)
file: Robots = Robots.parse("https://example.com/robots.txt", TEXT, expires=expiry)
agent: Agent = file.agent("ExampleBot").allow("/x/open").disallow("/y")
wait: float | None = agent.delay
left: float = file.ttl
cache = RobotsCache(100, DefaultObjectPolicy(60, AllowNone), policy, timeout=5)
agents = AgentCache("ExampleBot", capacity=10, cache_policy=ReraiseExceptionPolicy(ttl=0))
archive = RobotsCache(session=None, disallow_forbidden=False, agent_match="substring")
assert isinstance(AllowAll("https://example.com/robots.txt"), reppy.Robots)
assert (agent.allowed("/x/open"), wait) == (True, 2.0)
assert left > 0
assert issubclass(reppy.exceptions.ReadTimeout, reppy.ReppyException)
assert cache.capacity == 100
assert agents.agent == "ExampleBot"
assert archive.capacity is None
assert reppy.Utility.short_user_agent("ExampleBot/1.0") == "ExampleBot"
