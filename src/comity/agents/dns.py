"""The resolver of the standard library's sockets: it asks name servers, each query with a timeout.

`socket.gethostbyaddr` has no timeout, reads the hosts file and returns one name, and `socket.getaddrinfo`
adds search domains. A wrong or missing answer would make an impostor of a robot.
"""

import os
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

from ..errors import InvalidArgument, LookupFailed
from ..protocol.text import several
from ..protocol.value import brief
from .address import IPAddress
from .dns_message import AAAA, PTR, A, InvalidMessage, Response, query, response

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
