"""Bytes -> the members of a Dictionary, a structured field (RFC 9651 4.2.2).

The whole grammar is checked, because one fault anywhere makes the whole field void. Of a member, only its
kind and its text are kept: the fields that Comity reads have Tokens only. Each byte is read once or twice.
The only nesting is one level of Inner Lists.
"""

from ...value import Value

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

#: The result of `_Source.next` at the end.
_END = -1


class Malformed(ValueError):
    """The bytes are not a Dictionary; `position` is the offset of the first fault."""

    def __init__(self, position: int, wanted: str) -> None:
        super().__init__(wanted)
        self.position = position


class Member(Value):
    """The value of a member: its kind, and its text without parameters.

    `kind` is "integer", "decimal", "string", "token", "byte-sequence", "boolean", "date",
    "display-string" or "inner-list". `start` and `end` are the offsets of the member, key included.
    """

    kind: str
    text: bytes
    start: int
    end: int


def dictionary(data: bytes) -> dict[str, Member]:
    """Parse a Dictionary; the last of several members with one key counts.

    >>> [(key, member.kind, member.text) for key, member in dictionary(b'train-ai=n;x=1, search').items()]
    [('train-ai', 'token', b'n'), ('search', 'boolean', b'')]

    Raises `Malformed`; then the whole field is void.
    """
    source = _Source(data)
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
        member = Member(kind, data[value : source.at], start, source.at)
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
    """The bytes of a field, and the offset of the next one to read."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def next(self) -> int:
        return self.data[self.at] if self.at < len(self.data) else _END

    def takes(self, byte: bytes) -> bool:
        """Skip a byte if it is the next one; return whether it was."""
        if self.data.startswith(byte, self.at):
            self.at += 1
            return True
        return False

    def skip(self, among: frozenset[int]) -> int:
        """Skip the next bytes that are in a set; return how many there were."""
        start, end = self.at, len(self.data)
        while self.at < end and self.data[self.at] in among:
            self.at += 1
        return self.at - start


def _key(source: _Source) -> str:
    start = source.at
    if source.next() not in _KEY_START:
        raise Malformed(start, "a key that begins with a lower-case letter")
    source.skip(_KEY)
    return source.data[start : source.at].decode("ascii")


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
        byte = source.next()
        if byte not in _VISIBLE:
            raise Malformed(source.at, "the end of the string")
        source.at += 1
        if byte == ord('"'):
            return
        if byte == ord("\\"):
            if source.next() not in _ESCAPED:
                raise Malformed(source.at, 'a `"` or a `\\` after the backslash')
            source.at += 1


def _byte_sequence(source: _Source) -> None:
    start = source.at
    source.skip(_BASE64)
    content = source.data[start : source.at]
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
        byte = source.next()
        if byte not in _VISIBLE:
            raise Malformed(source.at, "the end of the display string")
        source.at += 1
        if byte == ord('"'):
            break
        if byte == ord("%"):
            pair = source.data[source.at : source.at + 2]
            if len(pair) < 2 or not _LOWER_HEX.issuperset(pair):
                raise Malformed(source.at, "two hexadecimal digits in lower case")
            byte = int(pair, 16)
            source.at += 2
        text.append(byte)
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
