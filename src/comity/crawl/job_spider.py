"""The interface of a spider to its scheduler, download handler and middlewares."""

from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler

from .facts.link_log import LinkLog
from .job.entry import Entry
from .job.interface import Job
from .limits.budget import Budget
from .limits.rate import Bandwidth


class JobSpider(Spider):
    """A spider whose requests come from a job.

    Its `parse` gets each response, and its `failed` each failure. They report the result to the scheduler.
    """

    job: Job
    #: maximum number of stored pages of the job, and the limits of the run
    limit: int | None = None
    budget: Budget | None = None
    bandwidth: Bandwidth | None = None
    #: returns the factor of the next delay; None if delays are not random
    spread: Callable[[], float] | None = None
    #: the log of the links between pages; None if they are not recorded
    links: LinkLog | None = None
    #: Authorization field per origin
    authorization: Mapping[str, str] = {}
    #: cookies to send, and to keep those of responses in; None for no cookies
    cookies: CookieJar | None = None

    def method_of(self, entry: Entry) -> str:
        """Return the method of the request for an entry."""
        return "GET"

    def headers_of(self, entry: Entry) -> dict[str, bytes]:
        """Return the header fields of the request for an entry."""
        return {}

    async def failed(self, failure: Any) -> None:
        """Process a request without a response; `failure` is that of Twisted."""
        raise NotImplementedError


def spider_of(crawler: Crawler) -> JobSpider:
    """Return the spider of a crawl."""
    spider = crawler.spider
    if not isinstance(spider, JobSpider):
        raise TypeError(f"{spider}: not a comity.crawl.job_spider.JobSpider")
    return spider
