"""The URLs of the sitemaps that a robots.txt names, to count those that a change closes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from urllib.parse import urljoin

from ...protocol.sitemap import InvalidSitemap, SitemapEntry, sitemap_entries
from ...protocol.text import counted

#: Maximum number of sitemaps of one site, those of an index included, and of their URLs.
MAX_SITEMAPS, MAX_URLS = 50, 200_000

#: Downloads a URL: its body, or the problem as text.
Download = Callable[[str], Awaitable[bytes | str]]


async def sitemap_urls(sitemaps: Iterable[str], download: Download) -> tuple[list[str], list[str]]:
    """Return the URLs of sitemaps, and the problems of those that cannot be read."""
    urls: dict[str, None] = {}
    problems: list[str] = []
    waiting = list(dict.fromkeys(url for url in sitemaps if url.startswith(("http://", "https://"))))
    seen = set(waiting)
    for number, sitemap in enumerate(waiting):  # grows with the sitemaps of an index
        if number >= MAX_SITEMAPS or len(urls) >= MAX_URLS:
            problems.append(f"only {counted(number, 'sitemap was', 'sitemaps were')} read")
            break
        body = await download(sitemap)
        if isinstance(body, str):
            problems.append(f"{sitemap}: {body}")
            continue
        entries, problem = await asyncio.to_thread(_entries, body)
        if problem:
            problems.append(f"{sitemap}: {problem}")
        for entry in entries:
            url = urljoin(sitemap, entry.url)
            if entry.kind != "sitemap":
                if len(urls) < MAX_URLS:
                    urls[url] = None
            elif url not in seen and url.startswith(("http://", "https://")):
                seen.add(url)
                waiting.append(url)
    return list(urls), problems


def _entries(body: bytes) -> tuple[list[SitemapEntry], str]:
    """Return the entries of a sitemap, and its problem if it has one."""
    found = []
    try:
        for entry in sitemap_entries([body]):
            found.append(entry)
            if len(found) >= MAX_URLS:
                break
    except InvalidSitemap as error:
        return found, str(error)
    return found, ""
