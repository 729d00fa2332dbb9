"""Scrapy that obeys (extra `crawl`): an add-on for `ADDONS`, and a parser alone for `ROBOTSTXT_PARSER`.

    ADDONS = {"comity.integrations.scrapy.Addon": 500}

The judgement is that of `comity.protocol`; what is here makes Scrapy's engine ask, wait and write down.
"""

from .addon import Addon
from .pages import page_of
from .parser import RobotParser
from .refusals import Disallowed, MustWait, Unreachable, UsageDisallowed

__all__ = ["Addon", "Disallowed", "MustWait", "RobotParser", "Unreachable", "UsageDisallowed", "page_of"]
