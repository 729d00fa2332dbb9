"""The characters of a path in each dialect, and how to write such a path as a URL.

A path pattern is a regular language over these characters. `protocol.robotstxt.paths` normalizes each URL,
so the characters depend on the dialect:

| dialect | characters of a path |
|---|---|
| `rfc9309` | those of a URI, except `*` and `$`, which are escaped |
| `google` | any byte except NUL and `#` |
| `draft1996` | any byte; an escaped slash or percent sign counts as one character |
| `1994` | any byte except `#` |

Each sequence of these characters that begins with a slash is the path of a URL, so all of them are compared.
"""

from collections.abc import Container

from ....protocol.robotstxt.dialect import Dialect
from ....protocol.robotstxt.grammar import RESERVED, UNRESERVED
from ....protocol.robotstxt.matcher import Pattern

#: Single characters that replace the two escapes which `draft1996` does not decode.
_ESCAPE_CHARACTERS = {"%25": "\u0100", "%2F": "\u0101"}

_CHARACTERS = {
    "rfc9309": frozenset(map(chr, (UNRESERVED | RESERVED | {0x25}) - set(b"*$#"))),
    "google": frozenset(map(chr, range(256))) - {"\0", "#"},
    "draft1996": (frozenset(map(chr, range(256))) - {"%"}) | set(_ESCAPE_CHARACTERS.values()),
    "none": frozenset(map(chr, range(256))) - {"#"},
}

#: Characters for the parts of an example path that may be anything, the most readable first.
_FILLERS = "xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~.,!'()=&;+@:/"

#: The characters of each dialect, the most readable first.
_ORDERED = {
    escapes: [filler for filler in _FILLERS if filler in characters] + sorted(characters.difference(_FILLERS))
    for escapes, characters in _CHARACTERS.items()
}

_HEXADECIMAL = frozenset("0123456789ABCDEFabcdef")

#: The origin of an example URL whose path begins with two slashes.
EXAMPLE_ORIGIN = "https://example.com"


class Alphabet:
    """The characters of the paths of a dialect.

    >>> from comity.protocol.robotstxt import DRAFT1996, RFC9309
    >>> Alphabet(RFC9309).url("/caf%C3%A9"), Alphabet(RFC9309).url("//x")
    ('/caf%C3%A9', 'https://example.com//x')
    >>> Alphabet(DRAFT1996).url("/#")
    '/%23'
    """

    __slots__ = ("_escapes", "_fillers", "characters")

    def __init__(self, dialect: Dialect) -> None:
        self._escapes = dialect.escapes
        self.characters: frozenset[str] = _CHARACTERS[dialect.escapes]
        self._fillers = _ORDERED[dialect.escapes]

    def pattern(self, pattern: Pattern) -> Pattern:
        """Return a pattern written in these characters."""
        if self._escapes != "draft1996":
            return pattern
        prefix, pieces, anchored = pattern
        return Pattern(_replace_escapes(prefix), pieces and tuple(map(_replace_escapes, pieces)), anchored)

    def character_except(self, known: Container[str]) -> str:
        """Return a character that is not among the known ones, or an empty string if all are."""
        return next((filler for filler in self._fillers if filler not in known), "")

    def url(self, path: str) -> str:
        """Return a URL that is normalized to this path."""
        if self._escapes == "rfc9309":
            path = _escape_percent_signs(path)
        elif self._escapes == "draft1996":
            path = "".join([_escaped(character) for character in path])
        if path.startswith("//"):
            path = EXAMPLE_ORIGIN + path  # otherwise the first segment would be read as a host
        return path.encode("latin-1").decode(errors="surrogateescape")


def _replace_escapes(text: str) -> str:
    for escape, character in _ESCAPE_CHARACTERS.items():
        text = text.replace(escape, character)
    return text


def _escaped(character: str) -> str:
    for escape, replacement in _ESCAPE_CHARACTERS.items():
        if character == replacement:
            return escape
    return character if "!" <= character <= "~" and character != "#" else f"%{ord(character):02X}"


def _escape_percent_signs(path: str) -> str:
    """Return a URL path that `rfc9309` normalizes to `path`, although `path` may hold a literal `%41`.

    `%41` in a URL is decoded to `A`. A path with the three characters `%41` is therefore written `%%341`.
    """
    first, *rest = path.split("%")
    parts = [first]
    for piece in rest:
        pair = piece[:2]
        if len(pair) == 2 and _HEXADECIMAL.issuperset(pair) and not _is_kept(pair):
            piece = f"%{ord(pair[0]):02X}{piece[1:]}"
        parts.append("%" + piece)
    return "".join(parts)


def _is_kept(pair: str) -> bool:
    """Return whether normalization keeps the escape with these two digits."""
    return pair == pair.upper() and int(pair, 16) not in UNRESERVED
