"""Sitemaps -> the addresses that they list (sitemaps.org protocol 0.9, and its files of plain text)."""

from collections.abc import Iterator

from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

__all__ = ["addresses"]

#: The octets of a sitemap, by its protocol 50 MB.
_LIMIT = 50 << 20


def addresses(body: bytes) -> Iterator[tuple[str, str]]:
    r"""Give each address with its kind, "page" or "sitemap"; of what is no sitemap none.

    >>> list(addresses(b"<urlset><url><loc> http://example.com/a </loc></url></urlset>"))
    [('page', 'http://example.com/a')]
    >>> list(addresses(b"http://example.com/b\nhttp://example.com/c\n"))
    [('page', 'http://example.com/b'), ('page', 'http://example.com/c')]
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            body = gunzip(body, max_size=_LIMIT)
        except Exception:  # whatever is wrong with it, it is no sitemap
            return
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"<"):
        for line in text.splitlines():
            if line.startswith((b"http://", b"https://")):
                yield "page", line.decode("utf-8", "replace").strip()
        return
    try:
        sitemap = Sitemap(text)
        kind = {"urlset": "page", "sitemapindex": "sitemap"}.get(sitemap.type or "")
        for each in sitemap if kind is not None else ():
            if isinstance(each.get("loc"), str):
                yield kind or "page", each["loc"].strip()
    except Exception:  # what cannot be read lists no more
        return
