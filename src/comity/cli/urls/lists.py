"""Read the lists of `--urls`: text, CSV, sitemaps and indexes of sitemaps, with or without gzip.

The content decides about the format, except for CSV, whose column a person names. A list is read in parts, so
its size does not matter.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from ...errors import InvalidURL, UnusableInput
from ...protocol.robotstxt.diagnostics.file import is_html
from ...protocol.sitemap import InvalidSitemap, SitemapEntry, sitemap_entries, unpacked
from ...protocol.text import printable, shortened
from ..inputs import UrlInput, display_name, short_lines, text_urls, unreadable, url_problem
from ..progress import open_with_progress
from ..terminal import shell_quoted

#: Maximum number of sitemaps in an index.
_MAX_SITEMAPS = 1000

#: Maximum length of a URL in characters; sitemaps.org allows 2,048.
_MAX_URL_LENGTH = 8192


class ListSource(NamedTuple):
    """A source of URLs: its name for messages, and a function that reads it in parts."""

    name: str
    read: Callable[[], Iterable[bytes]]


def urls_of(source: ListSource, follow: Callable[[str], ListSource], texts: list[str]) -> Iterator[str]:
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


def _entries(source: ListSource, texts: list[str]) -> Iterator[SitemapEntry]:
    try:
        for entry in sitemap_entries(source.read(), max_text_bytes=None):
            if entry.kind == "line" and texts[-1:] != [source.name]:
                texts.append(source.name)
            if entry.kind == "line" or len(entry.url) <= _MAX_URL_LENGTH:
                yield entry
    except InvalidSitemap as error:
        raise UnusableInput(f"{source.name}: {printable(str(error))}") from None


#: Fetches a URL, and returns its body in parts.
Download = Callable[[str], Iterable[bytes]]

#: Number of bytes read at once.
_PART = 1 << 16

#: The separators of CSV.
_SEPARATORS = ",;\t|"

#: How XML begins, as ASCII and in UTF-16, and the beginnings of texts in UTF-16.
_XML = b"<", "<".encode("utf-16-le"), "<".encode("utf-16-be")
_UTF16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE

#: How XML begins that is not taken for a web page.
_NO_PAGE = re.compile(rb"\s*<(?:\?xml|!doctype\s+(?!html\b))", re.IGNORECASE)

#: Maximum number of characters of the names of columns in a message.
_NAMES = 200


def listed_urls(
    files: Iterable[str],
    *,
    column: str | None = None,
    download: Download | None = None,
    texts: list[str] | None = None,
) -> Generator[UrlInput, None, None]:
    """Yield the URLs of all lists, as they are read, each with its place.

    `column` is the name or the number of the column with URLs in a list that is CSV. `download` fetches a
    list whose name is a URL. The names of lists that are not sitemaps are appended to `texts`. Raises
    `UnusableInput` for a list that cannot be read, and the errors of `download`.
    """
    for file in files:
        yield from _urls_in(file, column, download, [] if texts is None else texts)


def _urls_in(
    file: str, column: str | None, download: Download | None, texts: list[str]
) -> Iterator[UrlInput]:
    source = _source(file, download)
    try:
        parts = unpacked(source.read())
        start = _start(parts)
        if is_html(start) and not _NO_PAGE.match(start.removeprefix(codecs.BOM_UTF8)):
            raise UnusableInput(
                f"{source.name}: a web page, not a list of URLs; pass a sitemap, or one URL per line"
            )
        if _is_xml(start):
            again = ListSource(source.name, lambda: chain([start], parts))
            urls = urls_of(again, partial(_listed, file, download), texts)
            yield from (UrlInput(url, f"{source.name}: ") for url in urls)
            return
        if start.startswith(_UTF16):
            raise UnusableInput(f"{source.name}: a text in UTF-16; save it as UTF-8")
        texts.append(source.name)
        lines = short_lines(io.BufferedReader(_Parts(chain([start], parts)), _PART))
        if column is None and not file.lower().endswith((".csv", ".tsv")):
            yield from text_urls(lines, source.name)
        else:
            yield from _csv_urls(lines, source.name, column)
    except InvalidSitemap as error:
        raise UnusableInput(f"{source.name}: {printable(str(error))}") from None
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    except OSError as error:
        raise unreadable(file, error) from None


def _start(parts: Iterable[bytes]) -> bytes:
    """Read until the format is clear; a list that is typed or piped is answered line by line."""
    start = b""
    for part in parts:
        start += part
        unclear = start in _UTF16 or codecs.BOM_UTF8.startswith(start) or not start.strip()
        if not unclear or len(start) > _PART:
            break
    return start


def _is_xml(start: bytes) -> bool:
    for mark in (codecs.BOM_UTF8, *_UTF16):
        start = start.removeprefix(mark)
    return start.lstrip(b" \t\r\n\0").startswith(_XML)


def _csv_urls(lines: Iterable[bytes], name: str, column: str | None) -> Iterator[UrlInput]:
    """Yield the values of one column. Blank lines are skipped, and so is the line with the names."""
    texts = (line.decode("utf-8", "surrogateescape") for line in lines)
    first = next(texts, "").removeprefix("\ufeff")
    separator = _separator(first, column)
    rows = csv.reader(chain([first], texts), delimiter=separator)
    try:
        names = next(rows, [])
        at = _place(names, column, name)
        has_names = column is not None and not _is_number_in(column, names)
        if not has_names and names and not url_problem(names[at].strip()):
            yield UrlInput(names[at].strip(), f"{name}:1: ")
        for row in rows:
            if any(row):
                yield UrlInput(row[at].strip() if at < len(row) else "", f"{name}:{rows.line_num}: ")
    except csv.Error as error:
        raise UnusableInput(f"{name}:{rows.line_num}: not valid CSV: {error}") from None


def _separator(first: str, column: str | None) -> str:
    """Return the separator of the first line: one that yields the column's name, or the most frequent one."""
    by_count = sorted(_SEPARATORS, key=first.count, reverse=True)
    name = (column or "").strip().lower()
    return next(
        (one for one in by_count if name in [text.strip(' "\r\n').lower() for text in first.split(one)]),
        by_count[0],
    )


def _is_number_in(column: str, names: Sequence[str]) -> bool:
    """Return whether a column is named by its number."""
    return column.isascii() and column.isdigit() and column not in (name.strip() for name in names)


def _place(names: Sequence[str], column: str | None, file: str) -> int:
    """Return the index of a column. Raises `UnusableInput` if there is no such column, or several."""
    known = [name.strip() for name in names]
    if column is None and len(known) <= 1:
        return 0
    if column is not None and _is_number_in(column, names):
        if 1 <= int(column[:9]) <= len(known):
            return int(column) - 1
        raise UnusableInput(f"{file}: no column {column}; it has {len(known):,}")
    listed = shortened(", ".join(known), _NAMES)
    if column is None:
        raise UnusableInput(
            f"{file}: CSV; name the column with the URLs, such as --column {shell_quoted(_likely(known))}; "
            f"it has: {listed}"
        )
    places = [at for at, name in enumerate(known) if name.lower() == column.strip().lower()]
    if len(places) == 1:
        return places[0]
    problem = "two columns are called" if places else "no column"
    raise UnusableInput(f"{file}: {problem} {column!r}; it has: {listed}")


def _likely(names: Sequence[str]) -> str:
    """Return the name of the column that probably has the URLs, or its number if it has no usual name."""
    texts = [name.lower() for name in names]
    for wanted in ("url", "loc", "address", "link"):
        if wanted in texts:
            return names[texts.index(wanted)]
    found = [at for at, name in enumerate(texts) if "://" in name or name.startswith("/") or "url" in name]
    if not found:
        return "NAME"
    return str(found[0] + 1) if "/" in texts[found[0]] else shortened(names[found[0]], 40)


def _source(file: str, download: Download | None) -> ListSource:
    """Return the source of a list: a file, standard input, or a URL."""
    if "://" in file:
        if download is None:
            raise UnusableInput(f"{printable(file)}: a URL, where only a file can be read")
        return ListSource(display_name(file), partial(download, file))

    def parts() -> Iterator[bytes]:
        with open_with_progress(file) as stream:
            read = getattr(stream, "read1", stream.read)  # as much as a pipe has
            while part := read(_PART):
                yield part

    return ListSource(display_name(file), parts)


def _listed(index: str, download: Download | None, entry: str) -> ListSource:
    """Return a sitemap of an index. Only an index in a file may list files, in its folder or below."""
    if "://" in index:
        return _source(absolute(index, entry), download)
    if "://" in entry:
        return _source(entry, download)
    found = None if index == "-" else beside(index)(entry)
    if found is None:
        raise UnusableInput(f"{display_name(index)}: {printable(entry)!r} is not a file in its folder")
    return _source(str(found), download)


class _Parts(io.RawIOBase):
    """A stream of bytes that are read in parts."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = memoryview(part)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
