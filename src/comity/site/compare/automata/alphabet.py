"""The paths that there are: of which characters a path that is compared is made, and how a URL spells it.

A path pattern is a regular language over these characters. They are those that reading a URL leaves in a
path (`protocol.robotstxt.paths`), in each dialect its own: in `rfc9309` a URI's, without `*` and `$`,
which come out escaped; in `google` any octet but NUL and `#`; in `draft1996`, which decodes escapes, any
octet, where an escaped slash or percent sign counts as one character; in `1994` any octet but `#`.
Every sequence of them that begins with a slash is the path of some URL, so all such are considered.
"""

from collections.abc import Container

from ....protocol.robotstxt.dialect import Dialect
from ....protocol.robotstxt.grammar import RESERVED, UNRESERVED
from ....protocol.robotstxt.matcher import Pattern

__all__ = ["SITE", "Alphabet"]

#: What stands for one escape in a path of the `draft1996` dialect, where it is one character.
_UNITS = {"%25": "\u0100", "%2F": "\u0101"}

_CHARACTERS = {
    "rfc9309": frozenset(map(chr, (UNRESERVED | RESERVED | {0x25}) - set(b"*$#"))),
    "google": frozenset(map(chr, range(256))) - {"\0", "#"},
    "draft1996": (frozenset(map(chr, range(256))) - {"%"}) | set(_UNITS.values()),
    "none": frozenset(map(chr, range(256))) - {"#"},
}

#: What a path is made of where anything will do, in the order of what reads best.
_FILLERS = "xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~.,!'()=&;+@:/"

_HEXADECIMAL = frozenset("0123456789ABCDEFabcdef")

#: The site of a witness whose path would be taken for a host.
SITE = "https://example.com"


class Alphabet:
    """The characters of the paths of a dialect.

    >>> from comity import DRAFT1996, RFC9309
    >>> Alphabet(RFC9309).url("/caf%C3%A9"), Alphabet(RFC9309).url("//x")
    ('/caf%C3%A9', 'https://example.com//x')
    >>> Alphabet(DRAFT1996).url("/#")
    '/%23'
    """

    __slots__ = ("_escapes", "_fillers", "characters")

    def __init__(self, dialect: Dialect) -> None:
        """Take the alphabet of a dialect."""
        self._escapes = dialect.escapes
        self.characters = _CHARACTERS[dialect.escapes]
        rest = sorted(self.characters.difference(_FILLERS))
        self._fillers = [filler for filler in _FILLERS if filler in self.characters] + rest

    def pattern(self, pattern: Pattern) -> Pattern:
        """Give a pattern in these characters."""
        if self._escapes != "draft1996":
            return pattern
        head, pieces, anchored = pattern
        return _in_units(head), pieces and tuple(map(_in_units, pieces)), anchored

    def other(self, known: Container[str]) -> str:
        """Give a character that is none of the known ones, or nothing if there is none."""
        return next((filler for filler in self._fillers if filler not in known), "")

    def url(self, path: str) -> str:
        """Spell a path of these characters as a URL, so that it is read as just this path."""
        if self._escapes == "rfc9309":
            path = _spelt(path)
        elif self._escapes == "draft1996":
            path = "".join([_escaped(character) for character in path])
        if path.startswith("//"):
            path = SITE + path  # else what follows would be a host
        return path.encode("latin-1").decode(errors="surrogateescape")


def _in_units(text: str) -> str:
    for escape, unit in _UNITS.items():
        text = text.replace(escape, unit)
    return text


def _escaped(character: str) -> str:
    for escape, unit in _UNITS.items():
        if character == unit:
            return escape
    return character if "!" <= character <= "~" and character != "#" else f"%{ord(character):02X}"


def _spelt(path: str) -> str:
    """Spell a path of the `rfc9309` dialect: a percent sign that is no escape must not become one.

    `%41` is read as `A`, so the path `%41` is spelt `%%341`.
    """
    first, *rest = path.split("%")
    spelt = [first]
    for piece in rest:
        pair = piece[:2]
        if len(pair) == 2 and _HEXADECIMAL.issuperset(pair) and not _stays(pair):
            piece = f"%{ord(pair[0]):02X}{piece[1:]}"
        spelt.append("%" + piece)
    return "".join(spelt)


def _stays(pair: str) -> bool:
    """Say whether an escape is left as it is."""
    return pair == pair.upper() and int(pair, 16) not in UNRESERVED
