"""Octets -> the members of a Dictionary, a structured field (RFC 9651 4.2.2).

The whole grammar is checked, as one fault anywhere makes the whole field void. What is kept of a member
is its kind and how it was written: the fields that are read here ask for Tokens and nothing else. Each
octet is looked at once or twice, and nothing nests deeper than the one level of an Inner List.
"""

from ...value import Value

__all__ = ["Malformed", "Member", "dictionary"]

_DIGITS = frozenset(b"0123456789")
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_ALPHA = _LOWER | frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEY_START = _LOWER | frozenset(b"*")
_KEY = _KEY_START | _DIGITS | frozenset(b"_-.")
_TOKEN_START = _ALPHA | frozenset(b"*")
#: tchar (RFC 9110 5.6.2), ":" and "/"
_TOKEN = _ALPHA | _DIGITS | frozenset(b"!#$%&'*+-.^_`|~:/")
_BASE64 = _ALPHA | _DIGITS | frozenset(b"+/=")
_LOWER_HEX = frozenset(b"0123456789abcdef")
_BITS = frozenset(b"01")
_ESCAPED = frozenset(b'"\\')
_AFTER_ITEM = frozenset(b" )")
_VISIBLE = frozenset(range(0x20, 0x7F))
_SPACE = frozenset(b" ")
_OWS = frozenset(b" \t")

#: What `_Source.next` gives when all is read.
_END = -1


class Malformed(ValueError):
    """The octets are no Dictionary: `position` is the first at which that shows."""

    def __init__(self, position: int, wanted: str) -> None:
        """Tell where, and what should stand there."""
        super().__init__(wanted)
        self.position = position


class Member(Value):
    """A member's value: its kind, and how it is written, without parameters.

    `kind` is "integer", "decimal", "string", "token", "byte-sequence", "boolean", "date",
    "display-string" or "inner-list". `start` and `end` are the offsets of the member, key included.
    """

    __slots__ = ("kind", "text", "start", "end")
    kind: str
    text: bytes
    start: int
    end: int


def dictionary(octets: bytes) -> dict[str, Member]:
    """Read a Dictionary; of members with one key, the last counts.

    >>> [(key, member.kind, member.text) for key, member in dictionary(b'train-ai=n;x=1, search').items()]
    [('train-ai', 'token', b'n'), ('search', 'boolean', b'')]

    Raises `Malformed`, and then nothing of the field counts.
    """
    source = _Source(octets)
    members: dict[str, Member] = {}
    source.skip(_SPACE)
    if source.next() == _END:
        return members
    while True:
        start = source.at
        key = _key(source)
        value = source.at
        kind = "boolean"
        if source.takes(b"="):
            value = source.at
            kind = _inner_list(source) if source.next() == ord("(") else _bare_item(source)
        member = Member(kind, octets[value : source.at], start, source.at)
        _parameters(source)
        members[key] = member
        source.skip(_OWS)
        if source.next() == _END:
            return members
        if not source.takes(b","):
            raise Malformed(source.at, "a comma")
        source.skip(_OWS)
        if source.next() == _END:
            raise Malformed(source.at - 1, "a member after the comma")


class _Source:
    """The octets, and how far they are read."""

    __slots__ = ("at", "octets")

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.at = 0

    def next(self) -> int:
        return self.octets[self.at] if self.at < len(self.octets) else _END

    def takes(self, octet: bytes) -> bool:
        """Go past an octet if it is the next."""
        if self.octets.startswith(octet, self.at):
            self.at += 1
            return True
        return False

    def skip(self, octets: frozenset[int]) -> int:
        """Go past all octets of a set, and say how many there were."""
        start, end = self.at, len(self.octets)
        while self.at < end and self.octets[self.at] in octets:
            self.at += 1
        return self.at - start


def _key(source: _Source) -> str:
    start = source.at
    if source.next() not in _KEY_START:
        raise Malformed(start, "a key that begins with a lower-case letter")
    source.skip(_KEY)
    return source.octets[start : source.at].decode("ascii")


def _parameters(source: _Source) -> None:
    while source.takes(b";"):
        source.skip(_SPACE)
        _key(source)
        if source.takes(b"="):
            _bare_item(source)


def _inner_list(source: _Source) -> str:
    source.takes(b"(")
    while True:
        source.skip(_SPACE)
        if source.takes(b")"):
            return "inner-list"
        _bare_item(source)
        _parameters(source)
        if source.next() not in _AFTER_ITEM:
            raise Malformed(source.at, "a space or the end of the inner list")


def _bare_item(source: _Source) -> str:
    first = source.next()
    if first in _DIGITS or first == ord("-"):
        return _number(source)
    if first in _TOKEN_START:
        source.skip(_TOKEN)
        return "token"
    kind, read = _DELIMITED.get(first, (None, None))
    if kind is None or read is None:
        raise Malformed(source.at, "a value")
    source.at += 1
    read(source)
    return kind


def _number(source: _Source) -> str:
    """Read an integer of at most 15 digits, or a decimal of 12 and 3 (RFC 9651 4.2.4)."""
    start = source.at
    source.takes(b"-")
    whole = source.skip(_DIGITS)
    if not whole:
        raise Malformed(source.at, "a digit")
    if not source.takes(b"."):
        if whole > 15:
            raise Malformed(start, "a number of at most 15 digits")
        return "integer"
    if whole > 12 or not 1 <= source.skip(_DIGITS) <= 3:
        raise Malformed(start, "a decimal of at most 12 digits before the point and 1 to 3 after it")
    return "decimal"


def _string(source: _Source) -> None:
    while True:
        octet = source.next()
        if octet not in _VISIBLE:
            raise Malformed(source.at, "the end of the string")
        source.at += 1
        if octet == ord('"'):
            return
        if octet == ord("\\"):
            if source.next() not in _ESCAPED:
                raise Malformed(source.at, 'a `"` or a `\\` after the backslash')
            source.at += 1


def _byte_sequence(source: _Source) -> None:
    start = source.at
    source.skip(_BASE64)
    content = source.octets[start : source.at]
    if not source.takes(b":"):
        raise Malformed(source.at, "the end of the byte sequence")
    data = content.rstrip(b"=")
    # Padding may be left out, but must not be wrong (RFC 9651 4.2.7).
    if b"=" in data or len(data) % 4 == 1 or len(content) - len(data) > (2 if data else 0):
        raise Malformed(start, "Base64")


def _boolean(source: _Source) -> None:
    if source.next() not in _BITS:
        raise Malformed(source.at, "a 0 or a 1")
    source.at += 1


def _date(source: _Source) -> None:
    start = source.at
    if source.next() not in _DIGITS | frozenset(b"-") or _number(source) != "integer":
        raise Malformed(start, "a whole number of seconds")


def _display_string(source: _Source) -> None:
    if not source.takes(b'"'):
        raise Malformed(source.at, 'a `"`')
    start = source.at
    text = bytearray()
    while True:
        octet = source.next()
        if octet not in _VISIBLE:
            raise Malformed(source.at, "the end of the display string")
        source.at += 1
        if octet == ord('"'):
            break
        if octet == ord("%"):
            pair = source.octets[source.at : source.at + 2]
            if len(pair) < 2 or not _LOWER_HEX.issuperset(pair):
                raise Malformed(source.at, "two hexadecimal digits in lower case")
            octet = int(pair, 16)
            source.at += 2
        text.append(octet)
    try:
        text.decode()
    except UnicodeDecodeError:
        raise Malformed(start, "UTF-8") from None


#: What items with a mark of their own begin with (RFC 9651 4.2.3.1).
_DELIMITED = {
    ord('"'): ("string", _string),
    ord(":"): ("byte-sequence", _byte_sequence),
    ord("?"): ("boolean", _boolean),
    ord("@"): ("date", _date),
    ord("%"): ("display-string", _display_string),
}
