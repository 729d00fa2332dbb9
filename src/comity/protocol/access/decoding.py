"""The octets of a response as they come -> the octets of a robots.txt, and never more than asked for.

Content codings are removed while the body streams in (RFC 9110 8.4), so that a small body cannot become
a large one in memory: no more than the limit is kept, pieces in between are small, and a coding that
takes much and gives little ends after twice the limit.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from zlib import _Decompress

__all__ = ["CODINGS", "Body", "charset_of", "in_utf8", "without_partial_line"]

#: What is asked for by `Accept-Encoding`; both are in the standard library.
CODINGS = ("gzip", "deflate")

#: So many codings may be laid over each other.
_LAYERS = 3

#: Octets that are taken, and given, at a time.
_PIECE = 16_384

_UTF8_MARK = b"\xef\xbb\xbf"

#: Byte order marks and what they announce; that of UTF-32 first, since that of UTF-16 begins it.
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

#: The charsets that are put into UTF-8 when a server declares them (RFC 9309 2.2 allows it). `_wide` says
#: which of the wide ones it is; the rest of the world's charsets would need their tables loaded.
_CHARSETS = {
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16be", "ucs-2", "iso-10646-ucs-2"), "utf-16"),
    **dict.fromkeys(("utf-32", "utf-32le", "utf-32be"), "utf-32"),
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252", "cp1252"), "latin-1"),
}


class Body:
    """Collects a body: `take` each chunk, then `end`.

    >>> import zlib
    >>> body = Body(["deflate"], limit=10)
    >>> body.take(zlib.compress(b"Disallow: /x")), body.complaint
    (False, None)
    >>> body.end(), body.octets, body.longer
    (True, b'Disallow: ', True)
    """

    __slots__ = ("_kept", "_layers", "_limit", "_over", "complaint", "raw")

    def __init__(self, codings: "list[str]", limit: int) -> None:
        """Remove the codings, the last first, and keep at most `limit` octets."""
        self._limit = limit
        self._kept = bytearray()
        self._over = False
        #: why the body cannot be decoded, `None` if it can
        self.complaint: str | None = None
        #: octets taken so far, before any decoding
        self.raw = 0
        names = [name for name in map(_coding, codings) if name != "identity"]
        unknown = [name for name in names if name not in CODINGS]
        if unknown:
            self.complaint = f"its coding is {unknown[0][:40]}, which was not asked for"
        elif len(names) > _LAYERS:
            self.complaint = f"it has {len(names)} codings, one over the other"
        self._layers = (
            [] if self.complaint else [_Inflate(name, 2 * limit + _PIECE) for name in reversed(names)]
        )

    def take(self, chunk: bytes) -> bool:
        """Take some octets; say whether more are wanted."""
        self.raw += len(chunk)
        for start in range(0, len(chunk), _PIECE):
            if self.complaint or self._over:
                break
            piece = chunk[start : start + _PIECE] if self._layers else chunk
            try:
                self._through(piece, 0)
            except ValueError as broken:
                self.complaint = str(broken)
            if not self._layers:
                break
        return not (self.complaint or self._over)

    def end(self) -> bool:
        """Say whether the body is all there, as far as can be seen: a cut-off coding is not."""
        if not self.complaint and not self._over:
            for layer in self._layers:
                if not layer.ended:
                    self.complaint = f"its {layer.coding} coding ends too early"
        return not self.complaint

    @property
    def octets(self) -> bytes:
        """What was kept, at most the limit."""
        return bytes(self._kept[: self._limit])

    @property
    def longer(self) -> bool:
        """Say whether there was more than the limit."""
        return self._over

    @property
    def cuts_line(self) -> bool:
        """Say whether the limit cut a line in two."""
        return self._over and self._kept[self._limit] not in b"\r\n"

    def _through(self, piece: bytes, layer: int) -> None:
        """Pass a piece through the layers from `layer` on, until there is enough."""
        if layer == len(self._layers):
            room = self._limit + 1 - len(self._kept)  # the one more shows that there is more
            self._kept += piece[:room]
            self._over = len(self._kept) > self._limit
            return
        for decoded in self._layers[layer].pieces(piece):
            self._through(decoded, layer + 1)
            if self._over:
                return


class _Inflate:
    """One layer of gzip (RFC 1952) or deflate (RFC 1950, or RFC 1951 as some servers have it)."""

    __slots__ = ("_budget", "_head", "_members", "_stream", "coding")

    def __init__(self, coding: str, budget: int) -> None:
        self.coding = coding
        self._budget = budget  # octets that may still come in
        self._head = b""  # too little yet to tell what begins here
        self._members = 0  # streams that have ended
        self._stream: _Decompress | None = None

    @property
    def ended(self) -> bool:
        """Say whether no stream is open; what never began, an empty body, is not open either."""
        return self._stream is None and (self._members > 0 or not self._head)

    def pieces(self, octets: bytes) -> "Iterator[bytes]":
        """Decode some octets, a small piece at a time; raise `ValueError` if they cannot be."""
        import zlib

        self._budget -= len(octets)
        if self._budget < 0:
            raise ValueError(f"its {self.coding} coding takes more octets than a robots.txt may have")
        while octets:
            if self._stream is None:
                octets = self._begin(self._head + octets)
                if self._stream is None:
                    return
            try:
                piece = self._stream.decompress(octets, _PIECE)
                while len(piece) == _PIECE:
                    yield piece
                    piece = self._stream.decompress(self._stream.unconsumed_tail, _PIECE)
            except zlib.error:
                raise ValueError(f"its {self.coding} coding is broken") from None
            if piece:
                yield piece
            octets = b""
            if self._stream.eof:
                octets = self._stream.unused_data
                self._stream = None
                self._members += 1

    def _begin(self, octets: bytes) -> bytes:
        """Begin a stream if one begins here; what follows a stream and is none is dropped."""
        import zlib

        self._head = b""
        if len(octets) < 2:
            self._head = octets
        elif self.coding == "deflate":
            wrapped = octets[0] & 15 == 8 and int.from_bytes(octets[:2], "big") % 31 == 0
            if not self._members:
                self._stream = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        elif not self._members or octets.startswith(b"\x1f\x8b"):
            self._stream = zlib.decompressobj(zlib.MAX_WBITS + 16)
        return octets


def _coding(name: str) -> str:
    name = name.lower()
    return "gzip" if name == "x-gzip" else name  # RFC 9110 8.4.1.3


def charset_of(content_type: str | None) -> str | None:
    """Give the charset that a Content-Type declares, in lower case.

    >>> charset_of('text/plain; charset="ISO-8859-1"')
    'iso-8859-1'
    """
    for parameter in (content_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip(" \t\"'").lower() or None
    return None


def in_utf8(octets: bytes, charset: str | None) -> bytes:
    r"""Give a body in UTF-8 if it announces another charset, and if it is in that (RFC 9309 2.2).

    A byte order mark is believed before the server. What reads as UTF-8 already stays as it is, since
    servers declare a charset for whole sites; so does what is in no charset that is known here. The
    result is at most three times as long.

    >>> in_utf8("Disallow: /é".encode("utf-16"), None) == "Disallow: /é".encode()
    True
    >>> in_utf8(b"Disallow: /caf\xe9", "iso-8859-1") == "Disallow: /café".encode()
    True
    """
    for mark, name in _MARKS:
        if octets.startswith(mark):
            return octets.decode(name, "replace").encode()
    known = _CHARSETS.get(charset or "")
    if known is None or octets.startswith(_UTF8_MARK):
        return octets
    if known != "latin-1":
        # Nobody writes a robots.txt in UTF-16 without NULs: without them the declaration is wrong.
        return octets.decode(_wide(known, octets), "replace").encode() if b"\0" in octets else octets
    try:
        octets.decode()
    except UnicodeDecodeError:
        return octets.decode("cp1252" if _fits_cp1252(octets) else "latin-1").encode()
    return octets


def _wide(name: str, octets: bytes) -> str:
    """Give the byte order by where the NULs are, which all characters of field names have."""
    first = octets[::2].count(0) if name == "utf-16" else octets[::4].count(0)
    last = octets[1::2].count(0) if name == "utf-16" else octets[3::4].count(0)
    return f"{name}-be" if first > last else f"{name}-le"


def _fits_cp1252(octets: bytes) -> bool:
    return not any(octet in octets for octet in b"\x81\x8d\x8f\x90\x9d")


def without_partial_line(octets: bytes) -> bytes:
    r"""Drop what follows the last line end.

    >>> without_partial_line(b"Disallow: /a\r\nDisall")
    b'Disallow: /a\r\n'
    """
    return octets[: max(octets.rfind(b"\n"), octets.rfind(b"\r")) + 1]
