"""Stops the download of bodies that a crawl neither stores nor reads."""

from collections.abc import Callable

from scrapy import Request
from scrapy.exceptions import StopDownload
from scrapy.http import Headers

from ..frontier import entry_of, is_entry


def stop_bodies(needs_body: Callable[[str], bool]) -> Callable[..., None]:
    """Return a handler of Scrapy's signal `headers_received`; `needs_body` judges the Content-Type.

    Sitemaps are always downloaded.
    """

    def headers_received(headers: Headers, request: Request) -> None:
        if not is_entry(request) or entry_of(request).kind == "sitemap":
            return
        if not needs_body(content_type_of(headers)):
            raise StopDownload(fail=False)

    return headers_received


def content_type_of(headers: Headers) -> str:
    """Return the Content-Type of a response, several as a list, or an empty string."""
    return b", ".join(headers.getlist(b"Content-Type")).decode("latin-1").strip()
