"""The resolver of the standard library's sockets: it asks name servers, each query with a timeout.

`socket.gethostbyaddr` has no timeout, reads the hosts file and returns one name, and `socket.getaddrinfo`
adds search domains. A wrong or missing answer would make an impostor of a robot. Queries and responses have
the form of RFC 1035 4, as far as a stub resolver needs it.
"""

import os
import socket
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from ..errors import InvalidArgument, LookupFailed
from ..protocol.text import several
from ..protocol.value import brief
from .address import IPAddress

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


#: The file with the name servers of the system, and how many of them are asked.
_CONFIGURATION = "/etc/resolv.conf"
_MAX_SERVERS = 3

_PORT = 53

#: Timeout in seconds for one query, and how often it is sent.
_QUERY_TIME, _ATTEMPTS = 2.0, 2

#: Time in seconds for which an answer is cached, at least and at most, and for a failure.
_CACHED_LEAST, _CACHED_MOST, _CACHED_FAILURE = 3_600, 86_400, 300

#: Maximum number of cached answers.
_MAX_CACHED = 20_000

#: The codes of an answer: it has records, or the name does not exist (RFC 1035 4.1.1).
_NO_ERROR, _NO_SUCH_NAME = 0, 3


class NameServers:
    """Asks DNS, for `comity.agents.verify`. Answers are cached. Threads may share it.

    `servers` are addresses of name servers that resolve any name, such as 192.0.2.53, 192.0.2.53:5353 or
    [2001:db8::53]:5353. By default they are those of the system, in /etc/resolv.conf.

    >>> from comity import agents
    >>> agents.NameServers(["192.0.2.53", "[2001:db8::53]:5353"])
    NameServers(['192.0.2.53:53', '[2001:db8::53]:5353'])

    Raises `InvalidArgument` for a server that is not an IP address, and `LookupFailed` if the system names
    none.
    """

    def __init__(self, servers: str | Iterable[str] | None = None) -> None:
        """Create a resolver for `servers`; nothing is sent yet."""
        texts = system_servers() if servers is None else tuple(several(servers))
        if not texts:
            raise LookupFailed(f"{_CONFIGURATION} names no name server; name one")
        self._servers: tuple[tuple[str, int], ...] = tuple(map(_server, texts))[:_MAX_SERVERS]
        self._lock: threading.Lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, int], tuple[float, tuple[bytes | str, ...] | None]] = (
            OrderedDict()
        )

    def __repr__(self) -> str:
        shown = [f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self._servers]
        return f"NameServers({brief(shown, 150)})"

    def host_names(self, address: IPAddress, *, seconds: float) -> tuple[str, ...]:
        """Return the names of an `address`, from its PTR records.

        Raises `LookupFailed` without an answer within some `seconds`, or for an error of the server.
        """
        return tuple(
            value for value in self._values(address.reverse_pointer, PTR, seconds) if isinstance(value, str)
        )

    def addresses(self, name: str, version: int, *, seconds: float) -> tuple[str, ...]:
        """Return the addresses of an absolute `name`: of its A records for `version` 4, AAAA records for 6.

        Raises `LookupFailed` without an answer within some `seconds`, or for an error of the server.
        """
        kind, size = (A, 4) if version == 4 else (AAAA, 16)
        made = IPv4Address if version == 4 else IPv6Address
        found = self._values(name, kind, seconds)
        return tuple(str(made(value)) for value in found if isinstance(value, bytes) and len(value) == size)

    def _values(self, name: str, kind: int, timeout: float) -> tuple[bytes | str, ...]:
        key = name, kind
        with self._lock:
            until, values = self._cache.get(key, (0.0, None))
        if until <= time.monotonic():
            values, lifetime = self._asked(name, kind, timeout)
            with self._lock:
                self._cache[key] = time.monotonic() + lifetime, values
                self._cache.move_to_end(key)
                if len(self._cache) > _MAX_CACHED:
                    self._cache.popitem(last=False)
        if values is None:
            raise LookupFailed(f"{name}: no answer of a name server")
        return values

    def _asked(self, name: str, kind: int, timeout: float) -> tuple[tuple[bytes | str, ...] | None, float]:
        """Return the data of the records, or None without an answer, and for how long it holds in seconds."""
        end = time.monotonic() + timeout
        for attempt in range(_ATTEMPTS):
            left = min(_QUERY_TIME, end - time.monotonic())
            if left <= 0:
                break
            try:
                answer = _exchanged(self._servers[attempt % len(self._servers)], name, kind, left)
            except (OSError, InvalidMessage):
                continue
            if answer.rcode in (_NO_ERROR, _NO_SUCH_NAME):
                return answer.values, min(max(answer.ttl, _CACHED_LEAST), _CACHED_MOST)
        return None, _CACHED_FAILURE


def system_servers(path: str = _CONFIGURATION) -> tuple[str, ...]:
    """Return the addresses of the system's name servers; empty if its file does not exist.

    `path` is the file in the format of resolv.conf(5).
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            words = [line.split() for line in file.read(1 << 16).splitlines()]
    except OSError:
        return ()
    return tuple(line[1] for line in words if len(line) > 1 and line[0] == "nameserver")


def _server(text: str) -> tuple[str, int]:
    """Return the address and the port of a name server."""
    host, port = text, str(_PORT)
    if text.startswith("["):
        host, end, port = text[1:].partition("]")
        port = (port.removeprefix(":") or port or str(_PORT)) if end else ""
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    address = host.partition("%")[0]
    try:
        (IPv6Address if ":" in address else IPv4Address)(address)
        number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else 0
    except ValueError:
        number = 0
    if not 0 < number < 1 << 16:
        raise InvalidArgument(
            f"invalid servers {text!r:.100}: expected an IP address, with or without a port", name="servers"
        )
    return host, number


def _exchanged(server: tuple[str, int], name: str, kind: int, timeout: float) -> Response:
    """Send a query and return the response; over TCP if the one over UDP is cut."""
    sent = query(int.from_bytes(os.urandom(2), "big"), name, kind)
    end = time.monotonic() + timeout
    answer = _over_udp(server, sent, end)
    return _over_tcp(server, sent, end) if answer.truncated else answer


def _over_udp(server: tuple[str, int], sent: bytes, end: float) -> Response:
    """Send a query over UDP. The socket takes datagrams of this server only, on a port chosen at random."""
    family = socket.AF_INET6 if ":" in server[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as opened:
        opened.settimeout(_left(end))
        opened.connect(server)
        opened.send(sent)
        while True:
            opened.settimeout(_left(end))
            try:
                return response(opened.recv(4096), sent)
            except InvalidMessage:
                continue  # a forged response; the real one may still come


def _over_tcp(server: tuple[str, int], sent: bytes, end: float) -> Response:
    with socket.create_connection(server, timeout=_left(end)) as opened:
        opened.sendall(len(sent).to_bytes(2, "big") + sent)
        size = int.from_bytes(_received(opened, 2, end), "big")
        return response(_received(opened, size, end), sent)


def _received(opened: socket.socket, size: int, end: float) -> bytes:
    found = b""
    while len(found) < size:
        opened.settimeout(_left(end))
        part = opened.recv(size - len(found))
        if not part:
            raise InvalidMessage("a message that ends too early")
        found += part
    return found


def _left(end: float) -> float:
    """Return the rest of a time in seconds; raise `TimeoutError` if it is over."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    return left
