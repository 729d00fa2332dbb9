"""Scrapy that obeys (extra `crawl`): an add-on for `ADDONS`, and a parser alone for `ROBOTSTXT_PARSER`.

    ADDONS = {"comity.integrations.scrapy.Addon": 500}

The judgement is that of `comity.protocol`; what is here makes Scrapy's engine ask, wait and write down.
"""

from scrapy import version_info

if version_info < (2, 18):  # no pace could be kept, or only by chance
    raise ImportError(
        f"comity.integrations.scrapy needs Scrapy 2.18 or later, not {'.'.join(map(str, version_info))}"
    )

from .access import RobotsTxtMiddleware
from .addon import Addon
from .decisions import DecisionLogMiddleware
from .pages import PageMiddleware, page_of
from .parser import RobotParser
from .refusals import Disallowed, MustWait, Unreachable, UsageDisallowed
from .usage import UsageMiddleware

__all__ = [
    "Addon",
    "DecisionLogMiddleware",
    "Disallowed",
    "MustWait",
    "PageMiddleware",
    "RobotParser",
    "RobotsTxtMiddleware",
    "Unreachable",
    "UsageDisallowed",
    "UsageMiddleware",
    "page_of",
]
