"""Scrapy's parser interface, `ROBOTSTXT_PARSER`, on Comity's parser."""

from typing import TYPE_CHECKING, Self

from scrapy.robotstxt import RobotParser as Interface

from ...errors import InvalidURL
from ...protocol import KnownRobot, dialect_named, to_text
from ...protocol.access import Access, Outcome
from ...protocol.robotstxt import RobotsTxt, Rules, Verdict, parse
from ...protocol.usage import AcapRules
from .project_settings import acap_setting, dialect_setting

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Maximum number of robots whose rules are cached for one file.
_MAX_AGENTS = 16


class RobotParser(Interface):
    r"""A parsed robots.txt, for `ROBOTSTXT_PARSER` and for receivers of the signal `robots_parsed`.

    >>> parser = RobotParser.from_crawler(None, b"User-agent: *\nDisallow: /shop/*.php$\nCrawl-delay: 2.5")
    >>> parser.allowed("https://example.com/shop/cart.php", "ExampleBot/1.0 (+https://example.com/bot)")
    False
    >>> parser.crawl_delay(b"ExampleBot"), parser.robots.groups[0].line
    (2.5, 1)
    """

    #: the parsed file; it has no rules if the site has no robots.txt
    robots: RobotsTxt
    #: the result of fetching it; `None` if the add-on did not fetch it
    access: Access | None

    def __init__(self, robots: RobotsTxt, access: Access | None = None, *, acap: bool = False) -> None:
        """Create a parser from the parsed file `robots`, and from `access`, the result of fetching it.

        With `acap`, ACAP's permissions to crawl are obeyed too.
        """
        self.robots = robots
        self.access = access
        self._rules: dict[str | bytes | KnownRobot, Rules] = {}
        self._acap: dict[str | bytes | KnownRobot, AcapRules] = {}
        self._obeys_acap = acap and bool(robots.acap.groups)

    @classmethod
    def from_crawler(cls, crawler: "Crawler | None", robotstxt_body: bytes) -> Self:
        """Parse `robotstxt_body`, the bytes of a file, by the settings of `crawler`.

        `COMITY_ACAP` counts too. Content never raises. Raise `InvalidArgument` for a dialect that does not
        exist.
        """
        if crawler is None:
            return cls(parse(robotstxt_body))
        robots = parse(robotstxt_body, dialect=dialect_named(dialect_setting(crawler.settings)))
        return cls(robots, acap=acap_setting(crawler.settings))

    def allowed(self, url: str | bytes, user_agent: str | bytes | KnownRobot) -> bool:
        """Return whether a robot may fetch `url`.

        `user_agent` is a product token, a whole header, or an `Agent` of the catalogue. Return `False` if the
        URL is not valid, or if the robots.txt is unreachable.
        """
        try:
            if self.access is not None and self.access.outcome is not Outcome.RULES:
                return self.check(url, user_agent).allowed
            if self._obeys_acap:
                return self.check(url, user_agent).allowed
            return self.rules_for(user_agent).allowed(url)
        except InvalidURL:
            return False

    def check(self, url: str | bytes, user_agent: str | bytes | KnownRobot) -> Verdict:
        """Return the verdict on `url` for `user_agent`. Raise `InvalidURL` if the URL is not valid."""
        if self.access is not None and self.access.outcome is not Outcome.RULES:
            return self.access.check(url, agent=_text(user_agent))
        verdict = self.rules_for(user_agent).check(url)
        if not self._obeys_acap:
            return verdict
        return self._acap_rules(user_agent).restricted(verdict, url if isinstance(url, str) else to_text(url))

    def crawl_delay(self, user_agent: str | bytes | KnownRobot) -> float | None:
        """Return the Crawl-delay for `user_agent` in seconds, `None` without one."""
        return self.rules_for(user_agent).crawl_delay

    def rules_for(self, user_agent: str | bytes | KnownRobot) -> Rules:
        """Return the rules for `user_agent`, like `comity.RobotsTxt.rules_for`."""
        rules = self._rules.get(user_agent)
        if rules is None:
            if len(self._rules) >= _MAX_AGENTS:
                self._rules.clear()
            rules = self._rules[user_agent] = self.robots.rules_for(_text(user_agent))
        return rules

    def _acap_rules(self, user_agent: str | bytes | KnownRobot) -> AcapRules:
        acap = self._acap.get(user_agent)
        if acap is None:
            if len(self._acap) >= _MAX_AGENTS:
                self._acap.clear()
            acap = self._acap[user_agent] = AcapRules(self.robots, agent=_text(user_agent))
        return acap


def _text(user_agent: str | bytes | KnownRobot) -> str | KnownRobot:
    return user_agent.decode("latin-1") if isinstance(user_agent, bytes) else user_agent
