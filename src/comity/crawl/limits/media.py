"""The media types that a crawl stores. The body of any other response is not downloaded."""

import re
from collections.abc import Sequence

from scrapy import Request
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response

from ...politeness.page import media_type
from ..frontier import entry_of, is_entry
from ..job.entry import Result

#: A media type (RFC 9110 8.3.1), or all subtypes of a type.
_TYPE = re.compile(r"[\w!#$&^.+-]+/(?:[\w!#$&^.+-]+|\*)", re.ASCII)

#: The media types that have links; an unknown type counts as HTML.
WITH_LINKS = ("", "text/html", "application/xhtml+xml", "text/css")


class MediaFilter:
    """The media types to store.

    >>> images = MediaFilter(["image/*", "Text/HTML"])
    >>> [images.accepts(media) for media in ("image/png", "text/html; charset=utf-8", "text/css", "")]
    [True, True, False, True]
    """

    def __init__(self, types: Sequence[str], *, has_max_size: bool = False) -> None:
        """Create a filter; without types it accepts everything. Raises `ValueError` for an invalid type.

        With `has_max_size`, a person chose the maximum size of a page.
        """
        #: outcome of a page above the maximum size
        self.size_outcome: str = "above-max-size" if has_max_size else "too-large"
        for each in types:
            if not _TYPE.fullmatch(each):
                raise ValueError(f"invalid media type {each!r}: expected one such as text/html or image/*")
        self._types = frozenset(each.lower() for each in types)

    @property
    def is_limited(self) -> bool:
        """Whether some types are not accepted."""
        return bool(self._types)

    def accepts(self, content_type: str) -> bool:
        """Return whether a response is stored. One without a Content-Type counts as HTML."""
        media = media_type(content_type) or "text/html"
        return not self._types or media in self._types or f"{media.partition('/')[0]}/*" in self._types

    def result(self, response: Response) -> Result:
        """Return the result of a response that is not stored."""
        media = media_type(content_type_of(response.headers))[:100]
        return Result.of(
            "other-media", status=response.status, media=media, reason=f"media type {media or 'unknown'}"
        )

    def headers_received(self, headers: Headers, request: Request, **_: object) -> None:
        """Stop the download of a body that is neither stored nor read for links; a signal of Scrapy."""
        if not is_entry(request) or entry_of(request).kind == "sitemap":
            return
        content_type = content_type_of(headers)
        if not self.accepts(content_type) and media_type(content_type) not in WITH_LINKS:
            raise StopDownload(fail=False)


def content_type_of(headers: Headers) -> str:
    """Return the Content-Type of a response, several as a list, or an empty string."""
    return b", ".join(headers.getlist(b"Content-Type")).decode("latin-1").strip()
