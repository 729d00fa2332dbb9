"""URLs out of a file: one a line, or a sitemap, or an index of sitemaps; read as it comes, within bounds.

Sitemaps are from others, so nothing in them may cost more than its size: a document type declaration, and
with it every entity, is refused, what is packed is unpacked in small parts, and sizes and counts are
bounded (sitemaps.org has 50 MiB unpacked for one file, and no index within an index).
"""

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from xml.parsers import expat

import click

from ..protocol.robotstxt.verdict import printable

__all__ = ["Source", "UnusableSitemap", "absolute", "beside", "urls_of"]

#: The most octets of one sitemap, unpacked, and the most sitemaps of one index.
_OCTETS = 52_428_800
_SITEMAPS = 1000

#: Longer addresses are no addresses: sitemaps.org has 2,048 characters at the most.
_LONGEST = 8192

#: So much is unpacked at once.
_PART = 1 << 20

#: The elements that a sitemap, or an index of sitemaps, begins with.
_ROOTS = ("urlset", "sitemapindex")

_GZIP = b"\x1f\x8b"

#: What XML begins with, after white space: a tag, in UTF-8 or UTF-16.
_XML = (b"<", b"\xfe\xff", b"\xff\xfe")


class UnusableSitemap(click.ClickException):
    """A sitemap that cannot be read as one, or is too large."""

    exit_code = 2


class Source(NamedTuple):
    """Where URLs come from: a name for messages, and what reads it in parts."""

    name: str
    read: Callable[[], Iterable[bytes]]


def urls_of(source: Source, follow: Callable[[str], Source], texts: list[str]) -> Iterator[str]:
    """Give the URLs of a text file or a sitemap, and those of each sitemap that an index names.

    `follow` gives the source of what an index names; `texts` receives the names of text files.
    Raises `UnusableSitemap`, and what sources raise.
    """
    named: list[str] = []
    for is_sitemap, url in _entries(source, texts):
        if is_sitemap:
            named.append(url)
            if len(named) > _SITEMAPS:
                raise UnusableSitemap(f"{source.name} names more than {_SITEMAPS:,} sitemaps")
        else:
            yield url
    for address in named:
        part = follow(address)
        for is_sitemap, url in _entries(part, texts):
            if is_sitemap:
                raise UnusableSitemap(f"{part.name} is an index within an index, which sitemaps.org forbids")
            yield url


def beside(index: str) -> Callable[[str], Path | None]:
    """Give what finds a file that a local index names: in its own folder or below, and nowhere else."""
    folder = Path(index).resolve().parent

    def find(address: str) -> Path | None:
        found = (folder / address.lstrip("/")).resolve()
        return found if found.is_relative_to(folder) else None

    return find


def absolute(base: str, address: str) -> str:
    """Give the address of a sitemap that an index at some address names."""
    return urljoin(base, address)


def _entries(source: Source, texts: list[str]) -> Iterator[tuple[bool, str]]:
    """Give each URL, and whether it is that of a sitemap."""
    parts = _unpacked(source)
    first = b""
    for part in parts:
        first += part
        if len(first) > 4 and first.strip():
            break
    rest = _rest(first, parts)
    start = first.removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(_XML):
        yield from _of_xml(source.name, rest)
    else:
        texts.append(source.name)
        yield from ((False, url) for url in _of_lines(rest))


def _rest(first: bytes, parts: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from parts


def _unpacked(source: Source) -> Iterator[bytes]:
    """Give the octets of a source, unpacked if they are packed by gzip."""
    unpacker = None
    begun = False
    for part in source.read():
        if not begun and part:
            begun = True
            unpacker = zlib.decompressobj(31) if part.startswith(_GZIP) else None
        if unpacker is None:
            yield part
            continue
        try:
            while part:
                yield unpacker.decompress(part, _PART)
                part = unpacker.unconsumed_tail
                if unpacker.eof:
                    part = unpacker.unused_data
                    if not part.startswith(_GZIP):
                        return  # what follows the last member belongs to nothing
                    unpacker = zlib.decompressobj(31)
        except zlib.error as error:
            raise UnusableSitemap(f"{source.name} cannot be unpacked: {error}") from None
    if unpacker is not None and not unpacker.eof:
        raise UnusableSitemap(f"{source.name} ends before it is unpacked")


def _of_lines(parts: Iterable[bytes]) -> Iterator[str]:
    """Give the lines of a text that are not blank; a longer one than any address comes in pieces."""
    left = b""
    begun = False
    for part in parts:
        *lines, left = (left + part).split(b"\n")
        if len(left) > _PART:
            lines, left = [*lines, left], b""
        for line in lines:
            yield from _line(line, first=not begun)
            begun = True
    yield from _line(left, first=not begun)


def _line(line: bytes, *, first: bool) -> Iterator[str]:
    text = (line.removeprefix(codecs.BOM_UTF8) if first else line).decode(errors="surrogateescape").strip()
    if text:
        yield text


def _of_xml(name: str, parts: Iterable[bytes]) -> Iterator[tuple[bool, str]]:
    """Give the addresses of a sitemap or an index; what else it says of them is passed over."""
    reader = _Reader()
    size = 0
    try:
        for part in parts:
            size += len(part)
            if size > _OCTETS:
                raise UnusableSitemap(f"{name} has more than {_OCTETS:,} octets")
            reader.parser.Parse(part, False)
            yield from reader.taken()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UnusableSitemap(f"{name} is no XML: {error}") from None
    except _ForeignError as error:
        raise UnusableSitemap(f"{name} is no sitemap, but {printable(str(error))}") from None
    except _DeclarationError:
        raise UnusableSitemap(f"{name} declares a document type, which no sitemap needs") from None
    yield from reader.taken()


class _DeclarationError(Exception):
    """A document type declaration: the place where entities are made."""


class _ForeignError(Exception):
    """An element that no sitemap begins with."""


class _Reader:
    """Finds `loc` in `url` and in `sitemap`, whatever the prefixes of the names."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._take
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._size = 0
        self._found: list[tuple[bool, str]] = []

    def taken(self) -> list[tuple[bool, str]]:
        """Give what was found since this was asked for the last time."""
        found, self._found = self._found, []
        return found

    def _refuse(self, *_declaration: object) -> None:
        raise _DeclarationError

    def _begin(self, name: str, _attributes: dict[str, str]) -> None:
        if not self._path and name.rpartition(":")[2] not in _ROOTS:
            raise _ForeignError(f"<{name[:60]}>")
        self._path.append(name.rpartition(":")[2])
        if self._path[1:] in (["url", "loc"], ["sitemap", "loc"]):
            self._text, self._size = [], 0

    def _take(self, text: str) -> None:
        if self._text is not None and self._size <= _LONGEST:
            self._text.append(text)
            self._size += len(text)

    def _end(self, _name: str) -> None:
        if self._text is not None and self._path[1:] in (["url", "loc"], ["sitemap", "loc"]):
            url = "".join(self._text).strip()
            if url and self._size <= _LONGEST:
                self._found.append((self._path[1] == "sitemap", url))
            self._text = None
        self._path.pop()
