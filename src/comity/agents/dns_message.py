"""Queries and responses of DNS as bytes (RFC 1035 4), as far as a stub resolver needs them."""

import struct
from typing import NamedTuple

A, CNAME, PTR, AAAA = 1, 5, 12, 28

_INTERNET = 1

#: A query that asks the server to resolve the name for us (RFC 1035 4.1.1, RD).
_RECURSION_DESIRED = 0x0100
_RESPONSE, _TRUNCATED, _RCODE = 0x8000, 0x0200, 0x000F

#: Maximum number of records that are read from a response, of CNAME records that are followed, and of
#: pointers in one name.
_MAX_RECORDS, _MAX_ALIASES, _MAX_POINTERS = 256, 8, 64


class InvalidMessage(ValueError):
    """A response that is not valid, or not one to the query."""


class Response(NamedTuple):
    """An answer of a server: its code, whether the message is cut, the data and the shortest TTL."""

    rcode: int
    truncated: bool
    values: tuple[bytes | str, ...]
    ttl: int


def query(number: int, name: str, kind: int) -> bytes:
    """Return a query for the records of a `kind` and an absolute `name`; `number` is its ID.

    >>> query(7, "a.example", A).hex()
    '0007010000010000000000000161076578616d706c650000010001'
    """
    labels = name.removesuffix(".").split(".")
    encoded = b"".join(bytes([len(label)]) + label.encode("ascii") for label in labels)
    header = struct.pack(">6H", number, _RECURSION_DESIRED, 1, 0, 0, 0)
    return header + encoded + b"\0" + struct.pack(">2H", kind, _INTERNET)


def response(message: bytes, sent: bytes) -> Response:
    """Read a response to the query that was `sent`. CNAME records in it are followed.

    Raises `InvalidMessage` if it is not a response to this query, or cannot be read. Data of other records
    is left out: names are texts, addresses are bytes.
    """
    try:
        number, flags, questions, answers = struct.unpack_from(">4H", message)
        if number != int.from_bytes(sent[:2], "big") or not flags & _RESPONSE or questions != 1:
            raise InvalidMessage("not a response to the query")
        name, at = _name(message, 12)
        asked, end = _name(sent, 12)
        if name != asked or message[at : at + 4] != sent[end : end + 4]:
            raise InvalidMessage("a response to another question")
        (kind,) = struct.unpack_from(">H", sent, end)
        records = _records(message, at + 4, min(answers, _MAX_RECORDS))
    except (struct.error, IndexError):
        raise InvalidMessage("a message that ends too early") from None
    values, ttl = _values(records, asked, kind)
    return Response(flags & _RCODE, bool(flags & _TRUNCATED), values, ttl)


class _Record(NamedTuple):
    owner: str
    kind: int
    ttl: int
    value: bytes | str


def _records(message: bytes, at: int, count: int) -> list[_Record]:
    found = []
    for _ in range(count):
        owner, at = _name(message, at)
        kind, network, ttl, length = struct.unpack_from(">2HIH", message, at)
        at += 10
        data = message[at : at + length]
        if len(data) < length:
            raise InvalidMessage("a message that ends too early")
        if network == _INTERNET:
            value = _name(message, at)[0] if kind in (CNAME, PTR) else data
            found.append(_Record(owner, kind, ttl if ttl < 1 << 31 else 0, value))
        at += length
    return found


def _values(records: list[_Record], name: str, kind: int) -> tuple[tuple[bytes | str, ...], int]:
    """Return the data of the records of a kind for a name, after its aliases, and the shortest TTL."""
    ttls = []
    for _ in range(_MAX_ALIASES):
        found = [record for record in records if record.owner == name and record.kind == kind]
        if found:
            ttls += [record.ttl for record in found]
            return tuple(record.value for record in found), min(ttls)
        alias = next((record for record in records if record.owner == name and record.kind == CNAME), None)
        if alias is None or not isinstance(alias.value, str):
            break
        ttls.append(alias.ttl)
        name = alias.value
    return (), 0


def _name(message: bytes, at: int) -> tuple[str, int]:
    """Return a name in lower case, and the place after it. Bytes that no host name has become a backslash."""
    labels: list[str] = []
    after = 0
    pointers = 0
    size = 0
    while length := message[at]:
        if length >= 0xC0:  # a pointer to the rest of the name (RFC 1035 4.1.4)
            after = after or at + 2
            at = (length & 0x3F) << 8 | message[at + 1]
            pointers += 1
            if pointers > _MAX_POINTERS:
                raise InvalidMessage("a name that points to itself")
            continue
        label = message[at + 1 : at + 1 + length]
        size += length + 1
        if length > 63 or len(label) < length or size > 254:
            raise InvalidMessage("a name that is not valid")
        labels.append(label.decode("ascii", "replace").replace(".", "\\").replace("\ufffd", "\\").lower())
        at += 1 + length
    return ".".join(labels), after or at + 1
