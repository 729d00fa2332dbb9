"""The types of bodies: which of them a crawl reads, and which it does not even download."""

from collections.abc import Callable

from scrapy import Request
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response

from ...politeness import media_type
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


def is_html(response: Response) -> bool:
    """Return whether a response is an HTML page, or has no type."""
    return _kind(response) in ("", "text/html", "application/xhtml+xml")


def is_style_sheet(response: Response) -> bool:
    """Return whether a response is a style sheet."""
    return _kind(response) == "text/css"


def _kind(response: Response) -> str:
    return media_type(content_type_of(response.headers))
