"""The add-on: puts Comity's middlewares where Scrapy has its own, by one line of `ADDONS`."""

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as Stock
from scrapy.settings import BaseSettings

from .access import RobotsTxtMiddleware
from .decisions import DecisionLogMiddleware
from .options import Options
from .pages import PageMiddleware
from .parser import RobotParser
from .usage import UsageMiddleware

__all__ = ["Addon"]

#: Where the stock middleware stands, which the others keep to.
_ACCESS = 100


class Addon:
    """Has a Scrapy project obey: `ADDONS = {"comity.integrations.scrapy.Addon": 500}`.

    It turns `ROBOTSTXT_OBEY` on, which the project's own settings may turn off again, and all of it with it.
    Raises `ValueError` or one of Comity's errors, which are that too, for a `COMITY_` setting that is none.

    >>> from scrapy.settings import Settings
    >>> settings = Settings()
    >>> Addon().update_settings(settings)
    >>> settings.getbool("ROBOTSTXT_OBEY")
    True
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Put the middlewares in."""
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("ROBOTSTXT_PARSER", RobotParser, "addon")
        Options.of(settings)  # complains now if it must
        downloader, spider = "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"
        try:
            settings.replace_in_component_priority_dict(downloader, Stock, RobotsTxtMiddleware)
        except KeyError:  # it stands in `DOWNLOADER_MIDDLEWARES_BASE`, or was taken out
            settings.setdefault_in_component_priority_dict(downloader, RobotsTxtMiddleware, _ACCESS)
        settings.set_in_component_priority_dict(downloader, Stock, None)
        settings.setdefault_in_component_priority_dict(downloader, UsageMiddleware, _ACCESS + 1)
        # Behind the cache, next to the downloader: it sees each request that is sent, and each answer.
        settings.setdefault_in_component_priority_dict(downloader, DecisionLogMiddleware, 1000)
        # Before the spider's output is counted by others.
        settings.setdefault_in_component_priority_dict(spider, PageMiddleware, 950)
