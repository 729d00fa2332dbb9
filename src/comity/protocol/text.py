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
    if type(text) is bytes:
        return text
    if not isinstance(text, str):
        if isinstance(text, (bytes, bytearray, memoryview)):
            return memoryview(text).tobytes()  # the methods of a subclass may return something else
        hint = "; pass its read_bytes()" if hasattr(text, "read_bytes") else ""
        raise TypeError(f"expected bytes or str, got {type(text).__name__}{hint}")
    try:
        return str.encode(text)
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


def as_items(items: "str | bytes | Iterable[T]", name: str = "") -> "Iterable[T]":
    """Return the items of a parameter that takes one string or several: a lone `str` or `bytes` is one item.

    >>> tuple(as_items("Googlebot")), tuple(as_items(["Googlebot", "Bingbot"]))
    (('Googlebot',), ('Googlebot', 'Bingbot'))

    Raises `TypeError`, which names the parameter if `name` does, for a value that is neither.
    """
    if name and not hasattr(items, "__iter__"):
        raise TypeError(f"{name}: expected one text or several, not {type(items).__name__}")
    return (items,) if isinstance(items, (str, bytes)) else items  # type: ignore[return-value]


def shortened(text: str, most: int = 300) -> str:
    """Return text of a file for people, with at most `most` characters.

    >>> shortened("Disallow: /shop", 12)
    'Disallow:...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def html_text(text: str, most: int = 300) -> str:
    """Return a text as HTML: printable, escaped, and cut to `most` characters.

    >>> html_text("<script>")
    '&lt;script&gt;'
    """
    from html import escape  # it loads `re`

    return escape(shortened(printable(text), most))


def lines_in_html(text: str, most: int = 1000) -> str:
    """Return a text as HTML for a notebook, in the colours and fonts of the HTML pages.

    Lines that begin with a word such as "allowed" or "closes" show it in its colour. Indented lines and marks
    stay where they are. Each line is cut to `most` characters.
    """
    from .._html_page import html_lines

    return html_lines(_line_in_html(line, most) for line in text.splitlines())


#: The words at the start of a line that are coloured, and their class in HTML.
_COLOURED = {"allowed": "yes", "opens": "yes", "disallowed": "no", "closes": "no"}


def _line_in_html(line: str, most: int) -> str:
    first, *_ = line.split(maxsplit=1) or [""]
    text = html_text(line, most)
    if kind := _COLOURED.get(first):
        text = text.replace(first, f"<strong class={kind}>{first}</strong>", 1)
    return text


def counted(number: int, name: str, plural: str = "") -> str:
    """Return a number with the name of what is counted; the default plural ends with an s.

    >>> counted(1, "page"), counted(2000, "page"), counted(2, "rule was", "rules were")
    ('1 page', '2,000 pages', '2 rules were')
    """
    return f"{number:,} {name if number == 1 else plural or f'{name}s'}"


def cell_width(text: str) -> int:
    r"""Return the number of columns of a printable text in a terminal; a wide character takes two.

    >>> cell_width("/a"), cell_width("/\u4f60"), cell_width("e\u0301")
    (2, 3, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(2 if east_asian_width(sign) in "WF" else not combining(sign) for sign in text)


#: Printable characters, by their category, that show nothing: the letters and marks with the property
#: Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt), and blank letters and symbols.
_BLANKS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
).union(map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0)), "\U00013441\U00013442")

#: Format characters that show a sign, such as the Arabic end of ayah (Prepended_Concatenation_Mark).
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")


def is_visible(character: str) -> bool:
    """Return whether a character is shown as itself by a terminal: a letter, a sign, or the space.

    Others are controls, marks of direction, line ends, other spaces, invisible letters, and code points that
    are unassigned or for private use.

    >>> is_visible("é"), is_visible(" "), is_visible(chr(0x202E)), is_visible(chr(0x3164))
    (True, True, False, False)
    """
    return character in _SIGNS or (character.isprintable() and character not in _BLANKS)


def printable(text: str) -> str:
    r"""Escape the characters that are not visible, so that a terminal shows the text and obeys none of it.

    The result holds no line end. What is escaped once stays as it is.

    >>> printable("/a\x1b[31m\udce9\u202e")
    '/a\\x1b[31m\\xe9\\u202e'
    """
    if text.isprintable() and (text.isascii() or _BLANKS.isdisjoint(text)):
        return text
    return "".join(character if is_visible(character) else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
