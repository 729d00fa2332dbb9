"""The downloader middleware that sends cookies, if a person asks for that.

Scrapy's own middleware is off, because it would keep and send cookies without a request.
"""

from email.message import Message
from http.cookiejar import CookieJar
from io import BytesIO
from typing import Any, cast
from urllib.request import Request as Address
from urllib.response import addinfourl

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from ..job_spider import spider_of
from .authorization import WITHOUT_LOGIN


class CookieMiddleware:
    """Sends the cookies of the spider's jar, if it has one, and keeps those of responses."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "CookieMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    @property
    def _jar(self) -> CookieJar | None:
        return spider_of(self._crawler).cookies

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Add the cookies for a URL, also to a request for a robots.txt."""
        if self._jar is not None and not request.meta.get(WITHOUT_LOGIN):
            address = Address(request.url)  # noqa: S310  # nothing is opened
            self._jar.add_cookie_header(address)
            field = address.get_header("Cookie")
            if field:
                request.headers["Cookie"] = field.encode("latin-1", "replace")

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Keep the cookies of a response."""
        fields = response.headers.getlist(b"Set-Cookie")
        if self._jar is not None and fields:
            message = Message()
            for field in fields:
                message["Set-Cookie"] = field.decode("latin-1")
            with addinfourl(BytesIO(), message, request.url) as received:
                self._jar.extract_cookies(cast("Any", received), Address(request.url))  # noqa: S310
        return response
