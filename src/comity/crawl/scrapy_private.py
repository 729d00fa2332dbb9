"""The private parts of Scrapy that a crawl uses, because no public ones do the same.

The classes of the download handler are an exception: `output.reception` extends them.
"""

from collections.abc import Callable

from scrapy.crawler import Crawler
from scrapy.utils._compression import brotli, zstd  # type: ignore[attr-defined]  # those that it found

__all__ = ["brotli", "next_request_call", "zstd"]


def next_request_call(crawler: Crawler) -> Callable[[], None] | None:
    """Return a function that makes the engine call `next_request`; None if the engine is not open.

    By itself, the engine does so after each response, and every few seconds.
    """
    slot = crawler.engine._slot
    return None if slot is None else slot.nextcall.schedule
