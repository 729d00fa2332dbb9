"""DNS over sockets, with a name server on a loopback port that answers as the test says."""

import socket
import struct
import sys
import threading
from ipaddress import ip_address

import dns.resolver
import pytest

from comity import agents
from comity.agents import NameServers
from comity.errors import InvalidArgument, LookupFailed

ADDRESS = ip_address("192.0.2.7")

#: Types of records (RFC 1035 3.2.2, RFC 3596 2.1).
A, CNAME, PTR = 1, 5, 12


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def record(name, kind, data, ttl=60):
    return encoded(name) + struct.pack(">2HIH", kind, 1, ttl, len(data)) + data


def reply(sent, *records, rcode=0, flags=0):
    """Return a response to a query with some records."""
    head = sent[:2] + struct.pack(">5H", 0x8180 | flags | rcode, 1, len(records), 0, 0)
    return head + sent[12:] + b"".join(records)


class Server:
    """A name server; `answer` returns the response to a query, or None for silence."""

    def __init__(self, answer, over_tcp=None):
        self.asked = 0
        self._tcp = socket.socket()
        while True:  # a port that is free for both
            self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._udp.bind(("127.0.0.1", 0))
            try:
                self._tcp.bind(self._udp.getsockname())
                break
            except OSError:
                self._udp.close()
        self._tcp.listen()
        self.name = f"127.0.0.1:{self._udp.getsockname()[1]}"
        self._answer, self._over_tcp = answer, over_tcp
        threading.Thread(target=self._serve, daemon=True).start()
        threading.Thread(target=self._serve_tcp, daemon=True).start()

    def _serve(self):
        while True:
            try:
                sent, peer = self._udp.recvfrom(512)
            except OSError:
                return
            self.asked += 1
            for found in self._answer(sent) or ():
                self._udp.sendto(found, peer)

    def _serve_tcp(self):
        try:
            connection, _ = self._tcp.accept()
            with connection:
                found = self._over_tcp(connection.recv(514)[2:])
                connection.sendall(len(found).to_bytes(2, "big") + found)
        except (OSError, TypeError):
            return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for opened in (self._udp, self._tcp):
            opened.close()


def names_of(answer, seconds=0.3, over_tcp=None):
    with Server(answer, over_tcp) as server:
        return NameServers(server.name).host_names(ADDRESS, seconds=seconds)


REVERSE = "7.2.0.192.in-addr.arpa"


def pointer(name, owner=REVERSE):
    return record(owner, PTR, encoded(name))


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (lambda sent: [reply(sent, pointer("a.Example"), pointer("b.example"))], ("a.example", "b.example")),
        (lambda sent: [reply(sent)], ()),
        (lambda sent: [reply(sent, rcode=3)], ()),
        (lambda sent: [reply(sent, record(REVERSE, CNAME, encoded("x.example")), pointer("a.example", "x.example"))], ("a.example",)),
        (lambda sent: [reply(sent, pointer("a.example", "other.example"))], ()),
        (lambda sent: [reply(sent, record(REVERSE, PTR, b"\x05a.b\xff\\\x00"))], ("a\\b\\\\",)),
        (lambda sent: [b"", b"\0" * 12, reply(b"\0\0" + sent[2:]), reply(sent, pointer("a.example"))], ("a.example",)),
    ],
)  # fmt: skip
def test_host_names(answer, names):
    assert names_of(answer) == names


@pytest.mark.parametrize(
    "answer",
    [
        lambda sent: None,
        lambda sent: [reply(sent, rcode=2)],
        lambda sent: [reply(sent, rcode=5)],
        lambda sent: [reply(sent)[:11]],
        lambda sent: [sent],  # not a response
        lambda sent: [reply(b"\0\0" + sent[2:])],
        lambda sent: [reply(sent, pointer("a.example")[:-1])],
        lambda sent: [reply(sent, b"\xc0\x1b" + b"\0" * 10)],  # a name that points to itself
        lambda sent: [reply(sent, b"\x40" + b"a" * 64 + b"\0" * 11)],
        lambda sent: [reply(sent, (b"\x3f" + b"a" * 63) * 5 + b"\0" * 11)],
        lambda sent: [reply(sent, record(REVERSE, CNAME, encoded(REVERSE)))],
        lambda sent: [reply(sent, flags=0x0200)],  # cut, and nobody answers over TCP
    ],
)
def test_no_answer_is_not_an_answer(answer):
    with pytest.raises(LookupFailed):
        names_of(answer)


def test_cut_response_is_asked_for_over_tcp():
    answer = names_of(
        lambda sent: [reply(sent, flags=0x0200)], 2.0, lambda sent: reply(sent, pointer("a.example"))
    )

    assert answer == ("a.example",)


def test_addresses_of_a_version():
    def answer(sent):
        kind = int.from_bytes(sent[-4:-2], "big")
        data = ip_address("192.0.2.7" if kind == A else "2001:db8::7").packed
        return [reply(sent, record("a.example", kind, data))]

    with Server(answer) as server:
        resolver = NameServers(server.name)
        assert resolver.addresses("a.example", 4, seconds=2.0) == ("192.0.2.7",)
        assert resolver.addresses("a.example", 6, seconds=2.0) == ("2001:db8::7",)


def test_answers_are_cached_and_failures_too():
    with Server(lambda sent: [reply(sent, pointer("a.example"))]) as server:
        resolver = NameServers(server.name)
        for _ in range(3):
            resolver.host_names(ADDRESS, seconds=2.0)
        assert server.asked == 1
    with Server(lambda sent: [reply(sent, rcode=2)]) as server:
        resolver = NameServers(server.name)
        for _ in range(3):
            with pytest.raises(LookupFailed):
                resolver.host_names(ADDRESS, seconds=2.0)
        assert server.asked == 1


def test_second_server_is_asked_if_the_first_fails():
    with (
        Server(lambda sent: [reply(sent, rcode=2)]) as one,
        Server(lambda sent: [reply(sent, pointer("a.example"))]) as other,
    ):
        assert NameServers([one.name, other.name]).host_names(ADDRESS, seconds=2.0) == ("a.example",)


def test_verification_over_sockets():
    def answer(sent):
        if sent[-4:-2] == struct.pack(">H", PTR):
            return [reply(sent, pointer("a.crawl.yahoo.net"))]
        return [reply(sent, record("a.crawl.yahoo.net", A, ADDRESS.packed))]

    with Server(answer) as server:
        found = agents.verify("192.0.2.7", "Slurp", resolver=NameServers(server.name))

    assert (found.answer.code, found.host) == ("verified", "a.crawl.yahoo.net")


@pytest.mark.parametrize("name", ["", "a..example", "a" * 64 + ".example", "é.example"])
def test_names_that_no_host_has_are_not_asked_for(name):
    with Server(lambda sent: [reply(sent)]) as server:
        with pytest.raises(LookupFailed):
            NameServers(server.name).addresses(name, 4, seconds=2.0)
        assert server.asked == 0


@pytest.mark.parametrize(
    "server", ["", "ns.example", "192.0.2.53:0", "192.0.2.53:65536", "192.0.2.53:x", "[::1", "::1:x"]
)
def test_invalid_servers_raise(server):
    with pytest.raises(InvalidArgument) as caught:
        NameServers(server)

    assert caught.value.name == "servers"


def test_servers_of_the_system(monkeypatch):
    monkeypatch.setattr(
        dns.resolver.Resolver,
        "read_resolv_conf",
        lambda self, _: self.__setattr__("nameservers", ["192.0.2.53", "::1"]),
    )
    assert repr(NameServers()) == "NameServers(['192.0.2.53:53', '[::1]:53'])"

    def unreadable(*_):
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", unreadable)
    with pytest.raises(LookupFailed, match="names no name server"):
        NameServers()


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dns.resolver", None)
    with pytest.raises(ImportError, match=r"needs dnspython; install the extra `verify`"):
        NameServers("192.0.2.53")
