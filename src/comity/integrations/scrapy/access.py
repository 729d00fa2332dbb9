"""The downloader middleware: a request goes on if its own origin's robots.txt allows it."""

import logging

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as Stock
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import RobotParser as Interface
from scrapy.utils.misc import load_object

from ...errors import InvalidURL
from ...protocol.robotstxt.verdict import Reason
from .asking import is_asking
from .pacing import Pacer
from .parser import RobotParser
from .refusals import Disallowed, MustWait, Unreachable
from .sites import Site, Sites

__all__ = ["RobotsTxtMiddleware"]

#: Where projects look for what the stock middleware says.
_logger = logging.getLogger(Stock.__module__)


class RobotsTxtMiddleware(Stock):
    """Takes the place of Scrapy's own, and keeps what can be seen of it from outside.

    Each hop of a redirect, each retry and each request of a pipeline comes by here, and is judged. Raises
    `Disallowed`, `Unreachable` or `MustWait`, each of which Scrapy takes for an `IgnoreRequest`.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Take the crawl; raises `NotConfigured` unless `ROBOTSTXT_OBEY` is set."""
        super().__init__(crawler)
        stated = crawler.settings.getpriority("ROBOTSTXT_PARSER")  # 0 is Scrapy's own
        if stated and load_object(crawler.settings["ROBOTSTXT_PARSER"]) is not RobotParser:
            _logger.warning("ROBOTSTXT_PARSER is not consulted: Comity reads robots.txt itself")
        self._sites = Sites.of(crawler)
        self._max_wait = self._sites.options.max_wait
        self._pacer = Pacer(crawler, self._sites)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Let a request go on, or raise."""
        if not self._pacer.has_slots:
            self._pacer.take_over()
        if request.meta.get("dont_obey_robotstxt"):
            if is_asking(request) and (asked := self._sites.find(request.url)) is not None:
                self._come_on_time(request, asked)  # a retry of it may come too early
            return
        if request.url.startswith(("data:", "file:")):
            return
        self._sites.judge(request)
        self.process_request_2(await self.robot_parser(request), request)
        site = self._sites.find(request.url)
        if site is not None:
            self._come_on_time(request, site)
            site.expect(request)

    def process_request_2(self, rp: Interface | None, request: Request) -> None:
        """Raise for a request that a parser does not allow; `None` allows all."""
        agent = self._sites.agent(request)
        if rp is None or rp.allowed(request.url, agent):
            return
        _logger.debug(
            "Forbidden by robots.txt: %(request)s",
            {"request": request},
            extra={"spider": self.crawler.spider},
        )
        self._stats.inc_value("robotstxt/forbidden")
        if not isinstance(rp, RobotParser):  # of a subclass, which has its own
            raise IgnoreRequest("Forbidden by robots.txt")
        verdict = rp.check(request.url, agent)
        if verdict.reason is Reason.UNREACHABLE and rp.access is not None:
            self._stats.inc_value("comity/unreachable")
            raise Unreachable(request.url, verdict, rp.access.expires)
        raise Disallowed(request.url, verdict)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Give what is known of a request's origin, asked by now; `None` if no robots.txt speaks of its URL.

        Raises `IgnoreRequest` for a URL whose origin cannot be told, and `MustWait` where it would be
        asked too early.
        """
        try:
            site = self._sites.site(request.url)
        except InvalidURL as error:
            self._stats.inc_value("robotstxt/forbidden")
            raise IgnoreRequest(f"Forbidden by robots.txt: its site cannot be told: {error}") from error
        if site is None:
            return None
        if not self._sites.is_fresh(site):
            self._come_on_time(request, site)
            await self._sites.learn(site, request)
        return site.parser

    def _come_on_time(self, request: Request, site: Site) -> None:
        """Raise for a request that would wait in its slot for too long, and keep others from theirs."""
        seconds, why = self._pacer.wait(request, site)
        if seconds > self._max_wait:
            self._stats.inc_value("comity/too_early")
            raise MustWait(request.url, seconds, why.value)
