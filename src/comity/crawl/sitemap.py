"""Sitemaps -> the addresses that they list (sitemaps.org protocol 0.9): XML, its feeds, and plain text."""

import re
import zlib
from collections.abc import Iterator
from xml.parsers import expat

__all__ = ["LARGEST", "addresses"]

#: The octets of a sitemap, by its protocol 50 MB.
LARGEST = 50 << 20

#: Elements that are deeper are none of a sitemap.
_DEEPEST = 50

#: What has addresses: the root element, what an entry is called in it, what has the address in it, its kind.
_FORMS = {
    "urlset": ("url", "loc", "page"),
    "sitemapindex": ("sitemap", "loc", "sitemap"),
    "rss": ("item", "link", "page"),
    "rdf": ("item", "link", "page"),
    "feed": ("entry", "link", "page"),
}

#: What writers of sitemaps forget to escape.
_BARE = re.compile(rb"&(?!(?:#[0-9]++|#x[0-9a-fA-F]++|amp|lt|gt|quot|apos);)")

_WIDE = (b"\xff\xfe", b"\xfe\xff")


def addresses(body: bytes) -> Iterator[tuple[str, str]]:
    r"""Give each address with its kind, "page" or "sitemap"; of what is no sitemap none.

    >>> list(addresses(b"<urlset><url><loc> http://example.com/a </loc></url></urlset>"))
    [('page', 'http://example.com/a')]
    >>> list(addresses(b"http://example.com/b\nhttp://example.com/c\n"))
    [('page', 'http://example.com/b'), ('page', 'http://example.com/c')]
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            body = zlib.decompressobj(31).decompress(body, LARGEST)
        except zlib.error:
            return
    if not body.startswith(_WIDE):
        body = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith((b"<", *_WIDE)):
        yield from _of_xml(body)
        return
    for line in body.splitlines():
        if line[:8].lower().startswith((b"http://", b"https://")):
            yield "page", line.decode("utf-8", "replace").strip()


def _of_xml(body: bytes) -> list[tuple[str, str]]:
    """Read XML as far as it goes, and if that is not far since an & is not escaped, once more without."""
    found, whole = _Reader().read(body)
    if whole or body.startswith(_WIDE):
        return found
    more, _ = _Reader().read(_BARE.sub(b"&amp;", body))
    return more if len(more) > len(found) else found


class _Declared(Exception):
    """The file declares entities, or is too deep: that is no sitemap."""


class _Reader:
    """Reads one file; addresses whose elements have no end are not taken."""

    def __init__(self) -> None:
        self._form: tuple[str, str, str] | None = None
        self._open: list[str] = []
        self._text: list[str] | None = None
        self._found: list[tuple[str, str]] = []

    def read(self, body: bytes) -> tuple[list[tuple[str, str]], bool]:
        """Give what is listed, and whether the file could be read to its end."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take
        try:
            parser.Parse(body, True)
        except _Declared:
            return self._found, True
        except (expat.ExpatError, ValueError, LookupError):  # malformed, or of an encoding that nobody knows
            return self._found, False
        return self._found, True

    def _refuse(self, *_declaration: object) -> None:
        raise _Declared

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2].lower()
        if not self._open:
            self._form = _FORMS.get(name)
            if self._form is None:
                raise _Declared
        if len(self._open) >= _DEEPEST:
            raise _Declared
        self._text = None
        if self._form and name == self._form[1] and self._open[-1:] == [self._form[0]]:
            href = attributes.get("href")
            if href is None:
                self._text = []
            elif attributes.get("rel", "alternate") == "alternate":  # Atom (RFC 4287 4.2.7)
                self._found.append((self._form[2], href.strip()))
        self._open.append(name)

    def _take(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _tag: str) -> None:
        self._open.pop()
        if self._text is not None and self._form is not None:
            address = "".join(self._text).strip()
            if address:
                self._found.append((self._form[2], address))
        self._text = None
