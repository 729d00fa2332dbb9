"""Resolve the references of a page into the URLs that a job stores."""

import re

from ...errors import InvalidURL
from ...protocol import Origin, resolved
from ..job.urls import MAX_URL_LENGTH, as_sent, normalized, with_query_in

#: Maximum length and number of slashes of a base; each relative reference would repeat it.
_MAX_BASE, _MAX_SLASHES = 2048, 100

#: The usual forms of references: relative to a folder or to the origin, and absolute. They have no dot
#: segments but leading ones, and no characters that must be escaped, so joining texts resolves them.
_SEGMENT = r"[A-Za-z0-9_~\-][A-Za-z0-9_.~\-]*+"
_PATH = rf"(?:{_SEGMENT}/|(?!))*+(?:{_SEGMENT}|(?!))?+(?:\?[A-Za-z0-9_.~&=\-]++|(?!))?+"
_RELATIVE = re.compile(rf"(?=[A-Za-z0-9_~.\-])((?:\.\./|(?!))*+)({_PATH})", re.ASCII)
_ROOTED = re.compile(rf"/(?!/)({_PATH})", re.ASCII)
_ABSOLUTE = re.compile(rf"(https?://[a-z0-9.\-]++(?::[0-9]++|(?!))?+)/({_PATH})", re.ASCII)


class BaseTooLong(ValueError):
    """The base of a relative reference is too long or has too many folders."""


class LinkResolver:
    """Resolves the references of one page.

    `url` is the URL of the page, `base` the reference of its `base` element, if it has one, and `codec` its
    encoding.

    >>> resolver = LinkResolver("http://example.com/a/b", None)
    >>> [resolver.read(reference) for reference in ("c d", "../c?d=1", "//Example.com:80/%7E", "mailto:c")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('http://example.com', 'http://example.com/a/c%20d'), ('http://example.com', 'http://example.com/c?d=1'),
     ('http://example.com', 'http://example.com/%7E'), None]
    """

    def __init__(self, url: str, base: str | None, codec: str = "utf-8") -> None:
        self._codec = codec
        start = url
        if base is not None and len(base) <= MAX_URL_LENGTH:
            absolute = resolved(url, base)
            # HTML 4.2.3: a base that is not a URL, or is a data or javascript URL, is ignored
            if absolute and not absolute.lower().startswith(("data:", "javascript:")):
                start = absolute
        self._start: str | None = start
        if len(start) > _MAX_BASE or start.count("/") > _MAX_SLASHES:
            self._start = None
        #: the origin and URL of the base, if it is as a job would store it
        self._origin, self._page = "", ""
        #: the folders of the page, from its own to the root, each with a slash at the end
        self._folders: list[str] = []
        #: origin per scheme and host as written
        self._origins: dict[str, str] = {}
        if self._start is not None:
            self._set_folders(start)

    def _set_folders(self, start: str) -> None:
        """Prepare the quick way, if the base is as a job would store it."""
        plain = start.partition("#")[0]
        origin, url = self.read(plain) or ("", "")
        if not url or url != plain:
            return
        names = url[len(origin) + 1 :].partition("?")[0].split("/")[:-1]
        folder = f"{origin}/"
        self._origin, self._page, self._folders = origin, url, [folder]
        for name in names:
            folder += f"{name}/"
            self._folders.insert(0, folder)

    def read(self, reference: str) -> tuple[str, str] | None:
        """Return the origin and the URL of a reference; `None` if it is not a valid http or https URL.

        Raises `BaseTooLong` for a relative reference if the base is not usable.
        """
        if self._folders:
            if not reference:  # it had a fragment only
                return self._origin, self._page
            if plain := _RELATIVE.fullmatch(reference):
                up = min(len(plain[1]) // 3, len(self._folders) - 1)
                return self._origin, self._folders[up] + plain[2]
            if plain := _ROOTED.fullmatch(reference):
                return self._origin, f"{self._origin}/{plain[1]}"
        if plain := _ABSOLUTE.fullmatch(reference):
            origin = self._origin_of(plain[1])
            return (origin, f"{origin}/{plain[2]}") if origin else None
        return self._read(reference)

    def _origin_of(self, place: str) -> str:
        """Return the origin of a scheme and host; empty if it is not valid."""
        origin = self._origins.get(place)
        if origin is None:
            try:
                origin = str(Origin.of(place))
            except InvalidURL:
                origin = ""
            self._origins[place] = origin
        return origin

    def _read(self, reference: str) -> tuple[str, str] | None:
        url = resolved(self._start, with_query_in(self._codec, reference))
        if url is None and self._start is None:
            raise BaseTooLong
        if url is None or not url.lower().startswith(("http://", "https://")):
            return None
        try:
            return normalized(as_sent(url))
        except ValueError:
            return None


def location_text(field: bytes) -> str:
    r"""Return the text of a `Location` field, as browsers read it: bytes that are not UTF-8 are escaped.

    >>> location_text(b"/caf\xc3\xa9"), location_text(b"/caf\xe9")
    ('/café', '/caf%E9')
    """
    try:
        return field.decode().strip()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in field).strip()


def redirect_target(url: str, location: str) -> str:
    """Return the absolute URL of a `Location` field; raises `ValueError` for one that is not valid.

    >>> redirect_target("http://example.com/a/", "b")
    'http://example.com/a/b'
    """
    if len(location) > MAX_URL_LENGTH:
        raise ValueError(f"the URL is longer than {MAX_URL_LENGTH:,} characters")
    target = resolved(url, location)
    if target is None:
        raise ValueError("not a valid URL")  # `url` is absolute
    return target
