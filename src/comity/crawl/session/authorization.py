"""The downloader middleware that sends a password to the origins of the start URLs.

Scrapy's own middleware sends it to all subdomains and ports of a domain, also by http if the URL has https.
"""

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from ...integrations.scrapy.sites import origin_of
from ..job_spider import spider_of

#: Key of `Request.meta`: whether a request is sent without password and cookies, as for a page of another
#: site.
WITHOUT_LOGIN = "comity_without_login"


class AuthorizationMiddleware:
    """Adds the Authorization field of its origin to a request; the spider has the fields."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "AuthorizationMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Add the field, also to a request for a robots.txt."""
        field = spider_of(self._crawler).authorization.get(origin_of(request.url) or "")
        if field is not None and not request.meta.get(WITHOUT_LOGIN):
            request.headers["Authorization"] = field
