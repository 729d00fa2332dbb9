"""A robots.txt as Scrapy's `ROBOTSTXT_PARSER` wants it."""

from typing import TYPE_CHECKING, Self

from scrapy.robotstxt import RobotParser as Interface

from ...errors import InvalidURL
from ...protocol.access.outcome import Access, Outcome
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import Verdict

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["RobotParser"]

#: So many robots' rules of one file are kept ready.
_READY = 16


class RobotParser(Interface):
    r"""Comity's reading of robots.txt, for `ROBOTSTXT_PARSER` and for those who hear `robots_parsed`.

    >>> parser = RobotParser.from_crawler(None, b"User-agent: *\nDisallow: /shop/*.php$\nCrawl-delay: 2.5")
    >>> parser.allowed("https://example.com/shop/cart.php", "ExampleBot/1.0 (+https://example.com/bot)")
    False
    >>> parser.crawl_delay(b"ExampleBot"), parser.robots.groups[0].line
    (2.5, 1)
    """

    #: the file; without rules if there is none
    robots: RobotsTxt
    #: what came of asking for it, where the add-on did; else `None`
    access: Access | None

    def __init__(self, robots: RobotsTxt, access: Access | None = None) -> None:
        """Take a file that was read, and what came of asking for it."""
        self.robots = robots
        self.access = access
        self._rules: dict[str | bytes, Rules] = {}

    @classmethod
    def from_crawler(cls, crawler: "Crawler | None", robotstxt_body: bytes) -> Self:
        """Read the octets of a file, which never raises; `crawler` does not matter."""
        return cls(parse(robotstxt_body))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Say whether a robot may fetch a URL; `user_agent` is a product token or a whole header.

        What is no URL may not be fetched, and nothing where the file is known to be unreachable.
        """
        try:
            if self.access is not None and self.access.outcome is not Outcome.RULES:
                return self.check(url, user_agent).allowed
            return self.rules_for(user_agent).allowed(url)
        except InvalidURL:
            return False

    def check(self, url: str | bytes, user_agent: str | bytes) -> Verdict:
        """Say whether a robot may fetch a URL, and why; raises `InvalidURL` for what is none."""
        if self.access is not None and self.access.outcome is not Outcome.RULES:
            return self.access.check(url, agent=_text(user_agent))
        return self.rules_for(user_agent).check(url)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Give the seconds of a robot's Crawl-delay, `None` if there is none."""
        return self.rules_for(user_agent).crawl_delay

    def rules_for(self, user_agent: str | bytes) -> Rules:
        """Give the rules of a robot, as `comity.RobotsTxt.rules_for` does."""
        rules = self._rules.get(user_agent)
        if rules is None:
            if len(self._rules) >= _READY:
                self._rules.clear()
            rules = self._rules[user_agent] = self.robots.rules_for(_text(user_agent))
        return rules


def _text(user_agent: str | bytes) -> str:
    return user_agent.decode("latin-1") if isinstance(user_agent, bytes) else user_agent
