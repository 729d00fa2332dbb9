"""The URLs of a text file, a sitemap, or an index of sitemaps and the sitemaps that it lists."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from ...protocol.sitemap import InvalidSitemap, SitemapEntry, sitemap_entries
from ...protocol.text import printable
from ..exit_status import UnusableInput

#: Maximum number of sitemaps in an index.
_MAX_SITEMAPS = 1000

#: Maximum length of a URL in characters; sitemaps.org allows 2,048.
_MAX_URL_LENGTH = 8192


class Source(NamedTuple):
    """A source of URLs: its name for messages, and a function that reads it in parts."""

    name: str
    read: Callable[[], Iterable[bytes]]


def urls_of(source: Source, follow: Callable[[str], Source], texts: list[str]) -> Iterator[str]:
    """Yield the URLs of a text file or a sitemap, and those of each sitemap in an index.

    `follow` returns the source of a sitemap in an index. The names of text files are appended to `texts`.
    Raises `UnusableInput`, and the errors of the sources.
    """
    listed: list[str] = []
    for entry in _entries(source, texts):
        if entry.kind == "sitemap":
            listed.append(entry.url)
            if len(listed) > _MAX_SITEMAPS:
                raise UnusableInput(f"{source.name}: more than {_MAX_SITEMAPS:,} sitemaps")
        else:
            yield entry.url
    for url in listed:
        sitemap = follow(url)
        for entry in _entries(sitemap, texts):
            if entry.kind == "sitemap":
                raise UnusableInput(f"{sitemap.name}: an index within an index, which sitemaps.org forbids")
            yield entry.url


def beside(index: str) -> Callable[[str], Path | None]:
    r"""Return a function that finds the files of a local index, which must be in its folder or below.

    An address that Windows could read as another drive or host, such as `\\host\x`, is refused before it is
    looked up, because that would already connect to the host.
    """
    folder = Path(index).resolve().parent

    def find(url: str) -> Path | None:
        if "\\" in url or ":" in url or url.startswith("//"):
            return None
        found = (folder / url.lstrip("/")).resolve()
        allowed = found.is_relative_to(folder) and (found.is_file() or not found.exists())
        return found if allowed else None

    return find


def absolute(base: str, url: str) -> str:
    """Return the absolute URL of a sitemap that the index at `base` lists."""
    return urljoin(base, url)


def _entries(source: Source, texts: list[str]) -> Iterator[SitemapEntry]:
    try:
        for entry in sitemap_entries(source.read(), max_text_bytes=None):
            if entry.kind == "line" and texts[-1:] != [source.name]:
                texts.append(source.name)
            if entry.kind == "line" or len(entry.url) <= _MAX_URL_LENGTH:
                yield entry
    except InvalidSitemap as error:
        raise UnusableInput(f"{source.name}: {printable(str(error))}") from None
