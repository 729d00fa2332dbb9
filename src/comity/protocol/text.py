"""Conversions of text that several modules share: bytes <-> str without loss, and text for terminals."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    T = TypeVar("T")


def to_bytes(text: bytes | bytearray | memoryview | str) -> bytes:
    r"""Encode a text as UTF-8 without losing anything; return bytes as they are.

    A `str` may hold lone surrogates. Those that `surrogateescape` made become the byte that they came
    from; others are encoded as they are (`surrogatepass`).

    >>> to_bytes("/caf\udce9"), to_bytes("\ud800")
    (b'/caf\xe9', b'\xed\xa0\x80')
    """
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        if isinstance(text, (bytearray, memoryview)):
            return bytes(text)
        raise TypeError(f"expected bytes or str, got {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        pass
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return b"".join(
            character.encode(errors="surrogateescape")
            if "\udc80" <= character <= "\udcff"
            else character.encode(errors="surrogatepass")
            for character in text
        )


def to_text(value: bytes) -> str:
    """Decode UTF-8; bytes that are not UTF-8 become lone surrogates, so that none is lost."""
    return value.decode(errors="surrogateescape")


def several(items: "str | bytes | Iterable[T]") -> "Iterable[T]":
    """Return the items of a parameter that takes one string or several: a lone `str` or `bytes` is one item.

    >>> tuple(several("Googlebot")), tuple(several(["Googlebot", "Bingbot"]))
    (('Googlebot',), ('Googlebot', 'Bingbot'))
    """
    return (items,) if isinstance(items, (str, bytes)) else items  # type: ignore[return-value]


def printable(text: str) -> str:
    r"""Escape the characters that a terminal would interpret or cannot show.

    >>> printable("/a\x1b[31m\udce9")
    '/a\\x1b[31m\\xe9'
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
