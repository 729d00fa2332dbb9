"""The download handler for http and https that connects to public IP addresses only."""

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from ....protocol import Origin
from ....protocol.special_use import special_use
from ..scrapy_errors import NotPublic
from ..sites import Sites
from .resolver import PublicResolver


class PublicDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's own handler, with a check of each address that it connects to."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._private = Sites.of(crawler).options.private_hosts

    async def download_request(self, request: Request) -> Response:
        """Download a response. Raises `NotPublic` if the host has no public address.

        A proxy resolves the name itself, so then the name is checked as far as it can be resolved here.
        """
        origin = Origin.of(request.url)
        if str(origin) in self._private or origin.port is None:
            return await super().download_request(request)
        url, host, port = request.url, origin.host.strip("[]"), origin.port
        _check_literal(url, host)
        resolver = PublicResolver.installed()
        with resolver.guard(host, port):
            if request.meta.get("proxy"):
                await resolver.resolve(host, port)
                if (refused := resolver.refused(host, port)) is not None:
                    raise NotPublic(url, host, *refused)
            try:
                return await super().download_request(request)
            except CannotResolveHostError:
                if (refused := resolver.refused(host, port)) is None:
                    raise
                raise NotPublic(url, host, *refused) from None


def _check_literal(url: str, host: str) -> None:
    try:
        use = special_use(host)
    except ValueError:  # a name
        return
    if use is not None:
        raise NotPublic(url, host, host, use)
