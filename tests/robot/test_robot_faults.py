"""For every fault of a server, a request for robots.txt ends in the outcome of RFC 9309 2.3.1."""

import gc
import gzip
import itertools
import socket
import struct
import threading
import tracemalloc
import zlib
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import trustme
from certificates import client_context, server_context
from http_server import HOSTS, Server, answer, redirect, unused_port
from robot_flavours import FLAVOURS, START, open_robot

import comity
from comity.protocol.access.outcome import Cause, Outcome

RULES = b"User-agent: *\nDisallow: /private\n"
HTML = b"<!doctype html>\n<title>Disallow: /</title>\n<p>What is a robots.txt?\n"
HTML_HEAD = {"content-type": "text/html"}
HOUR = 3600.0

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def chunked(*chunks, end=b"0\r\n\r\n"):
    head = b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def coded(coding, body, **changes):
    return answer(body=body, headers={"content-encoding": coding}, **changes)


def raw(*lines, body=b""):
    """Answer with a head that is written out."""
    return b"\r\n".join([*lines, b"", body])


OK_LINE = b"HTTP/1.1 200 OK"
CLOSE = b"Connection: close"


def deflate_bomb(size):
    """Return a raw deflate stream of rules and a long comment, and the checksums that gzip and zlib add.

    Each megabyte of the comment is the same block, so that it is compressed once.
    """
    megabyte = b"#" * (1 << 20)
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    rules = stream.compress(RULES) + stream.flush(zlib.Z_FULL_FLUSH)
    comment = stream.compress(megabyte) + stream.flush(zlib.Z_FULL_FLUSH)
    crc32, adler32 = zlib.crc32(RULES), zlib.adler32(RULES)
    for _ in range(size >> 20):
        crc32, adler32 = zlib.crc32(megabyte, crc32), zlib.adler32(megabyte, adler32)
    return rules + comment * (size >> 20) + stream.flush(), crc32, adler32


def gzip_bomb(size):
    packed, crc32, _ = deflate_bomb(size)
    return b"\x1f\x8b\x08" + bytes(7) + packed + struct.pack("<II", crc32, len(RULES) + size)


def zlib_bomb(size):
    packed, _, adler32 = deflate_bomb(size)
    return b"\x78\xda" + packed + struct.pack(">I", adler32)


def test_bombs_are_valid():
    text = RULES + b"#" * (2 << 20)

    assert gzip.decompress(gzip_bomb(2 << 20)) == zlib.decompress(zlib_bomb(2 << 20)) == text


BOMB = gzip_bomb(64 << 20)
NESTED = gzip.compress(gzip.compress(gzip_bomb(256 << 20)))
DEFLATED = zlib_bomb(64 << 20)


def chain(hops, target="/end"):
    """Redirects from /robots.txt, so many of them, which end at rules."""
    places = ["/robots.txt", *(f"/{hop}" for hop in range(1, hops)), target]
    statuses = (301, 302, 307, 308)
    steps = {
        place: redirect(after, statuses[n % 4]) for n, (place, after) in enumerate(itertools.pairwise(places))
    }
    return {**steps, "/end": answer(body=RULES)}


#: What the server answers: routes, or what it sends for /robots.txt, as they are or as its server makes
#: them. Then what comes of it: the outcome, its cause, and the status that the access has.
PARSED = (Outcome.RULES, Cause.OK, 200)
OPEN, CLOSED = Outcome.UNAVAILABLE, Outcome.UNREACHABLE

CASES = {
    # Answers, RFC 9309 2.3.1.1, 2.3.1.3 and 2.3.1.4
    "200 rules": (answer(body=RULES), *PARSED),
    "200 rules without a length": (answer(body=RULES, length=False), *PARSED),
    "200 rules called HTML": (answer(body=RULES, headers=HTML_HEAD), *PARSED),
    "200 HTML": (answer(body=HTML, headers=HTML_HEAD), Outcome.RULES, Cause.NOT_TEXT, 200),
    "200 HTML called text": (answer(body=HTML), Outcome.RULES, Cause.NOT_TEXT, 200),
    "200 nothing": (answer(), Outcome.RULES, Cause.NO_CONTENT, 200),
    "203": (answer(203, RULES), Outcome.RULES, Cause.OK, 203),
    "204": (answer(204, length=False), Outcome.RULES, Cause.NO_CONTENT, 204),
    "206 unasked": (answer(206, RULES), CLOSED, Cause.UNEXPECTED_STATUS, 206),
    "299": (answer(299, RULES), Outcome.RULES, Cause.OK, 299),
    "300 without a place": (answer(300, RULES), CLOSED, Cause.BROKEN_REDIRECT, 300),
    "304 unasked": (answer(304, length=False), CLOSED, Cause.UNEXPECTED_STATUS, 304),
    "400": (answer(400, HTML), OPEN, Cause.CLIENT_ERROR, 400),
    "401": (answer(401, HTML), OPEN, Cause.FORBIDDEN, 401),
    "403": (answer(403, HTML), OPEN, Cause.FORBIDDEN, 403),
    "404 HTML": (answer(404, HTML, HTML_HEAD), OPEN, Cause.NOT_FOUND, 404),
    "404 with rules": (answer(404, RULES), OPEN, Cause.NOT_FOUND, 404),
    "407": (answer(407), CLOSED, Cause.NOT_FETCHABLE, 407),
    "410": (answer(410), OPEN, Cause.NOT_FOUND, 410),
    "429": (answer(429), CLOSED, Cause.TOO_MANY_REQUESTS, 429),
    "451": (answer(451), OPEN, Cause.FORBIDDEN, 451),
    "499": (answer(499), OPEN, Cause.CLIENT_ERROR, 499),
    "500 HTML": (answer(500, HTML, HTML_HEAD), CLOSED, Cause.SERVER_ERROR, 500),
    "500 with rules": (answer(500, b"User-agent: *\nAllow: /\n"), CLOSED, Cause.SERVER_ERROR, 500),
    "503 HTML": (answer(503, HTML, HTML_HEAD), CLOSED, Cause.SERVER_ERROR, 503),
    "599": (answer(599), CLOSED, Cause.SERVER_ERROR, 599),
    # Redirects, 2.3.1.2
    **{f"{status} to rules": (lambda server, status=status: {
        "/robots.txt": redirect("/end", status), "/end": answer(body=RULES),
    }, *PARSED) for status in (301, 302, 303, 307, 308)},
    "redirect in full": (lambda server: {
        "/robots.txt": redirect(f"{server.origin}/end"), "/end": answer(body=RULES),
    }, *PARSED),
    "redirect by a path from here": (lambda server: {
        "/robots.txt": redirect("a/../b/./rules"), "/b/rules": answer(body=RULES),
    }, *PARSED),
    "redirect with a body without end": (lambda server: {
        "/robots.txt": server.endless(b"#" * 65536, head=raw(b"HTTP/1.1 301 Go", b"Location: /end")),
        "/end": answer(body=RULES),
    }, *PARSED),
    "5 redirects": (chain(5), *PARSED),
    "6 redirects": (chain(6), OPEN, Cause.TOO_MANY_REDIRECTS, 302),
    "redirect to itself": (redirect("/robots.txt"), OPEN, Cause.REDIRECT_LOOP, 301),
    "redirects in a circle": (chain(2, "/robots.txt"), OPEN, Cause.REDIRECT_LOOP, 302),
    "redirects without end": (lambda server: {
        "*": lambda connection: connection.sendall(redirect(f"/{len(server.asked)}", 302)),
    }, OPEN, Cause.TOO_MANY_REDIRECTS, 302),
    "redirect to 404": (chain(1, "/none"), OPEN, Cause.NOT_FOUND, 404),
    "redirect to 500": ({**chain(1), "/end": answer(500)}, CLOSED, Cause.SERVER_ERROR, 500),
    "redirect to an unknown host": (redirect(f"http://127.0.0.1:{unused_port()}/"), CLOSED, Cause.REFUSED, None),
    "redirect without a place": (answer(301), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to another scheme": (redirect("ftp://127.0.0.1/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect with a user": (redirect("http://a:b@127.0.0.1/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to no host": (redirect("http:///"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to no port": (redirect("http://127.0.0.1:65536/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to no name": (redirect(f"http://{'a' * 64}.example/"), CLOSED, Cause.DNS, None),
    "redirect to no address": (redirect("http://[::1/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to no IPv4 address": (redirect("http://256.1.1.1/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    "redirect to no IPv6 address": (redirect("http://[zz]/"), CLOSED, Cause.BROKEN_REDIRECT, 301),
    # Slow ones
    "silence": (lambda server: server.silent, CLOSED, Cause.TIMEOUT, None),
    "status line without end": (
        lambda server: server.drips(b"1", head=b"HTTP/1."), CLOSED, Cause.TIMEOUT, None,
    ),
    "dripping head": (lambda server: server.drips(b"a: b\r\n", head=OK_LINE + b"\r\n"), CLOSED, Cause.TIMEOUT, None),
    "dripping body": (lambda server: server.drips(b"#"), CLOSED, Cause.TIMEOUT, None),
    "dripping error": (
        lambda server: server.drips(b"#", head=raw(b"HTTP/1.1 404 No")), OPEN, Cause.NOT_FOUND, 404,
    ),
    "dripping chunks": (lambda server: server.drips(b"1\r\n#\r\n", head=chunked(RULES, end=b"")), CLOSED, Cause.TIMEOUT, None),
    "a 100 every now and then": (lambda server: server.drips(raw(b"HTTP/1.1 100 Continue"), head=b""), CLOSED, Cause.TIMEOUT, None),
    # Endless ones
    "endless lines": (lambda server: server.endless(b"Disallow: /a\n" * 5000, head=answer(body=RULES, length=False)), *PARSED),
    "endless line": (lambda server: server.endless(b"a" * 65536, head=answer(body=RULES, length=False)), *PARSED),
    "endless NULs": (lambda server: server.endless(bytes(65536)), Outcome.RULES, Cause.NOT_TEXT, 200),
    "endless small chunks": (lambda server: server.endless(b"10\r\n###############\n\r\n" * 3000, head=chunked(RULES, end=b"")), *PARSED),
    "endless head": (lambda server: server.endless(b"a: b\r\n" * 9000, head=OK_LINE + b"\r\n"), CLOSED, Cause.PROTOCOL_ERROR, None),
    "endless field": (lambda server: server.endless(b"a" * 65536, head=OK_LINE + b"\r\na: "), CLOSED, Cause.PROTOCOL_ERROR, None),
    "endless status line": (lambda server: server.endless(b"a" * 65536, head=b"HTTP/1.1 200 "), CLOSED, Cause.PROTOCOL_ERROR, None),
    "endless chunk extension": (lambda server: server.endless(b"a" * 65536, head=chunked(RULES, end=b"5;")), CLOSED, Cause.INCOMPLETE, None),
    "endless trailers": (lambda server: server.endless(b"a: b\r\n" * 9000, head=chunked(RULES, end=b"0\r\n")), CLOSED, Cause.INCOMPLETE, None),
    "endless 100s": (lambda server: server.endless(raw(b"HTTP/1.1 100 Continue") * 2000, head=b""), CLOSED, Cause.TIMEOUT, None),
    # Codings
    "gzip": (coded("gzip", gzip.compress(RULES)), *PARSED),
    "deflate": (coded("deflate", zlib.compress(RULES)), *PARSED),
    "gzip over gzip": (coded("gzip, gzip", gzip.compress(gzip.compress(RULES))), *PARSED),
    "gzip bomb": (coded("gzip", BOMB), *PARSED),
    "deflate bomb": (coded("deflate", DEFLATED), *PARSED),
    "gzip bomb thrice": (coded("gzip, gzip, gzip", NESTED), *PARSED),
    "gzip over gzip, many times": (coded(", ".join(["gzip"] * 99), BOMB), CLOSED, Cause.UNDECODABLE, 200),
    "gzip cut off": (coded("gzip", gzip.compress(RULES)[:-9]), CLOSED, Cause.UNDECODABLE, 200),
    "invalid gzip": (coded("gzip", RULES), CLOSED, Cause.UNDECODABLE, 200),
    "br, unasked": (coded("br", RULES), CLOSED, Cause.UNDECODABLE, 200),
    "endless gzip of nothing": (
        lambda server: server.endless(gzip.compress(b"") * 3000, head=coded("gzip", b"", length=False)), CLOSED, Cause.INCOMPLETE, None,
    ),
    # Lengths
    "length too long": (answer(body=RULES, length=len(RULES) + 1), CLOSED, Cause.INCOMPLETE, None),
    "length too long for this world": (answer(body=RULES, length="9" * 30), CLOSED, Cause.PROTOCOL_ERROR, None),
    "length too short": (answer(body=RULES + b"Disallow: /", length=len(RULES)), *PARSED),
    "length negative": (answer(body=RULES, length=-5), CLOSED, Cause.PROTOCOL_ERROR, None),
    "length no number": (answer(body=RULES, length="many"), CLOSED, Cause.PROTOCOL_ERROR, None),
    "two lengths": (answer(body=RULES, length=f"{len(RULES)}, 5"), CLOSED, Cause.PROTOCOL_ERROR, None),
    "chunks": (chunked(RULES), *PARSED),
    "chunks without an end": (chunked(RULES, end=b""), CLOSED, Cause.INCOMPLETE, None),
    "chunk cut off": (chunked(RULES, end=b"20\r\nDisallow"), CLOSED, Cause.INCOMPLETE, None),
    "chunk size no number": (chunked(RULES, end=b"many\r\n"), CLOSED, Cause.INCOMPLETE, None),
    # Resets
    "no answer": (b"", CLOSED, Cause.PROTOCOL_ERROR, None),
    "reset at once": (lambda server: server.resets(), CLOSED, Cause.RESET, None),
    "reset in the head": (lambda server: server.resets(OK_LINE + b"\r\nConte"), CLOSED, Cause.RESET, None),
    "reset after the head": (lambda server: server.resets(answer(length=9)), CLOSED, Cause.RESET, None),
    "reset in the body": (lambda server: server.resets(answer(body=RULES, length=99)), CLOSED, Cause.RESET, None),
    "end in the head": (OK_LINE + b"\r\nConte", CLOSED, Cause.PROTOCOL_ERROR, None),
    # No HTTP
    **{f"status {status}": (answer(status, RULES), CLOSED, cause, shown) for status, cause, shown in (
        ("000", Cause.PROTOCOL_ERROR, None),
        ("099", Cause.PROTOCOL_ERROR, None),
        ("199", Cause.PROTOCOL_ERROR, None),
        ("600", Cause.UNEXPECTED_STATUS, 600),
        ("999", Cause.UNEXPECTED_STATUS, 999),
        ("20", Cause.PROTOCOL_ERROR, None),
        ("2000", Cause.PROTOCOL_ERROR, None),
        ("-20", Cause.PROTOCOL_ERROR, None),
        ("fine", Cause.PROTOCOL_ERROR, None),
        ("", Cause.PROTOCOL_ERROR, None),
    )},
    "rules without a head": (RULES, CLOSED, Cause.PROTOCOL_ERROR, None),
    "SSH": (b"SSH-2.0-OpenSSH_9.9\r\n", CLOSED, Cause.PROTOCOL_ERROR, None),
    "octets": (bytes(range(256)), CLOSED, Cause.PROTOCOL_ERROR, None),
    "101": (raw(b"HTTP/1.1 101 Switching", b"Upgrade: what", body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
    # Fields
    "folded field": (raw(OK_LINE, CLOSE, b"Content-Type: text/html;", b"  charset=utf-8", body=RULES), *PARSED),
    "field with NUL": (raw(OK_LINE, CLOSE, b"A: \0", body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
    "field without colon": (raw(OK_LINE, CLOSE, b"what", body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
    "field without name": (raw(OK_LINE, CLOSE, b": what", body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
    "field of 200 KB": (raw(OK_LINE, CLOSE, b"A: " + b"a" * 200_000, body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
    "field of 16 KB": (raw(OK_LINE, CLOSE, b"A: " + b"a" * 16_000, body=RULES), *PARSED),
    "field not in ASCII": (raw(OK_LINE, CLOSE, b"ETag: \xff\xfe", b"Content-Type: \xe9", body=RULES), *PARSED),
    "lines end with LF": (b"HTTP/1.1 200 OK\nConnection: close\n\n" + RULES, *PARSED),
    "two codings that differ": (raw(OK_LINE, CLOSE, b"Transfer-Encoding: what", body=RULES), CLOSED, Cause.PROTOCOL_ERROR, None),
}  # fmt: skip


def routes_of(wrong, server):
    if callable(wrong):
        wrong = wrong(server)
    return wrong if isinstance(wrong, dict) else {"/robots.txt": wrong}


@flavours
@pytest.mark.parametrize(("wrong", "outcome", "cause", "status"), CASES.values(), ids=CASES)
def test_answers_to_robots_txt(flavour, wrong, outcome, cause, status):
    patience = 0.2 if cause is Cause.TIMEOUT else 20.0
    with Server() as server, open_robot(flavour, robots_timeout=patience) as robot:
        server.routes = routes_of(wrong, server)
        access = robot.access(f"{server.origin}/page")
        page, private = (robot.check(f"{server.origin}/{path}") for path in ("page", "private"))

    asked = server.asked
    assert (access.outcome, access.cause, access.status) == (outcome, cause, status)
    assert access.origin == server.origin
    assert page.allowed == (outcome is not CLOSED)
    assert private.allowed == (page.allowed and cause is not Cause.OK)
    if outcome is Outcome.RULES:
        assert (private.line == 2) == (cause is Cause.OK)
    else:
        assert page.reason.code == private.reason.code == outcome.code
    assert access.detail.startswith(access.url)
    assert access.detail.isprintable()
    assert asked.count("GET /robots.txt") == 1 or (
        not asked and cause is Cause.TIMEOUT
    )  # it was not sent in time
    assert "GET /page" not in asked


@flavours
def test_connection_refused(flavour):
    with open_robot(flavour) as robot:
        access = robot.access(f"http://127.0.0.1:{unused_port()}/")

    assert (access.outcome, access.cause, access.status) == (CLOSED, Cause.REFUSED, None)


@flavours
def test_closed_port_does_not_delay_other_ports_of_the_host(flavour):
    with Server({"/robots.txt": answer(body=RULES)}) as server, open_robot(flavour) as robot:
        with pytest.raises(comity.Unreachable):
            robot.get(f"http://127.0.0.1:{unused_port()}/page")
        assert robot.host_wait(f"{server.origin}/page") == 0.0


#: Names for the resolver of this file, which has no network.
NAMES = {"site.example": "127.0.0.1", "other.example": "127.0.0.1"}


@pytest.fixture
def resolver(monkeypatch):
    """Names resolve from a list, so that no test asks the network."""
    real = socket.getaddrinfo

    def getaddrinfo(host, *arguments, **named):
        name = host.decode() if isinstance(host, bytes) else host
        if name.replace(".", "").isdigit():
            return real(host, *arguments, **named)
        if name not in NAMES:
            name.encode("idna")  # as the real one does, which may complain
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(NAMES[name], *arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@flavours
@pytest.mark.parametrize("host", ["something.invalid", f"{'a' * 64}.invalid", "a..invalid", "xn--a.invalid"])
def test_unknown_hosts(resolver, flavour, host):
    with open_robot(flavour) as robot:
        access = robot.access(f"http://{host}/")
        verdict = robot.check(f"http://{host}/page")

    assert (access.outcome, access.cause, access.status) == (CLOSED, Cause.DNS, None)
    assert verdict.reason.code == "unreachable"


# TLS ----------------------------------------------------------------------------------------------


class Authority:
    """A certificate authority, and the servers that it certifies."""

    def __init__(self):
        self._authority = trustme.CA()

    def server(self, *names, **changes):
        return server_context(self._authority, *names, **changes)

    @property
    def trust(self):
        return client_context(self._authority)


@pytest.fixture(scope="module")
def authority():
    return Authority()


def babbles(connection):
    """Go on in plain text in the middle of a secure connection."""
    connection.sendall(answer(body=RULES, length=9999))
    plain = socket.socket(fileno=connection.detach())
    with plain:
        plain.sendall(b"what" * 4096)


YESTERDAY = datetime.now(UTC) - timedelta(days=1)

#: The name that the server is asked by, those that its certificate is for and how, what it does, and what
#: comes of it.
SECURE = {
    "sound": ("site.example", ("site.example",), {}, answer(body=RULES), (Outcome.RULES, Cause.OK)),
    "another's name": ("other.example", ("site.example",), {}, answer(body=RULES), (CLOSED, Cause.TLS)),
    "expired": ("site.example", ("site.example",), {"not_after": YESTERDAY}, answer(), (CLOSED, Cause.TLS)),
    "reset": (
        "site.example",
        ("site.example",),
        {},
        Server.resets(None),
        (CLOSED, Cause.RESET, Cause.PROTOCOL_ERROR),
    ),
    "plain text amid": ("site.example", ("site.example",), {}, babbles, (CLOSED, Cause.TLS)),
}


@flavours
@pytest.mark.parametrize(("name", "names", "changes", "route", "expected"), SECURE.values(), ids=SECURE)
def test_secure_servers(resolver, authority, flavour, name, names, changes, route, expected):
    with (
        Server({"/robots.txt": route}, tls=authority.server(*names, **changes)) as server,
        open_robot(flavour, verify=authority.trust) as robot,
    ):
        access = robot.access(f"https://{name}:{server.port}/")

    outcome, *causes = expected  # TLS and the system do not agree on whether a reset is an end
    assert access.outcome is outcome
    assert access.cause in causes


@flavours
@pytest.mark.parametrize(
    ("scheme", "tls", "causes"),
    [
        ("https", False, {Cause.TLS}),
        ("http", True, {Cause.PROTOCOL_ERROR, Cause.RESET}),  # as the system closes it
    ],
)
def test_wrong_protocol_on_port(resolver, authority, flavour, scheme, tls, causes):
    context = authority.server("site.example") if tls else None
    with (
        Server({"*": answer(body=RULES)}, tls=context) as server,
        open_robot(flavour, verify=authority.trust) as robot,
    ):
        access = robot.access(f"{scheme}://site.example:{server.port}/")

    assert access.outcome is CLOSED
    assert access.cause in causes


@flavours
def test_untrusted_certificate(resolver, authority, flavour):
    with (
        Server({"*": answer(body=RULES)}, tls=Authority().server("site.example")) as server,
        open_robot(flavour, verify=authority.trust) as robot,
    ):
        access = robot.access(f"https://site.example:{server.port}/")

    assert (access.outcome, access.cause) == (CLOSED, Cause.TLS)


@flavours
@pytest.mark.parametrize(
    ("first_is_secure", "policy", "expected"),
    [
        (False, "rfc9309", (Outcome.RULES, Cause.OK)),
        (True, "rfc9309", (Outcome.RULES, Cause.OK)),
        (True, "strict", (CLOSED, Cause.DOWNGRADE)),
    ],
)
def test_redirects_between_schemes(resolver, authority, flavour, first_is_secure, policy, expected):
    context = authority.server("site.example")
    with (
        Server(tls=context if first_is_secure else None) as first,
        Server({"/robots.txt": answer(body=RULES)}, tls=None if first_is_secure else context) as second,
        open_robot(flavour, verify=authority.trust, policy=policy) as robot,
    ):
        schemes = ("https", "http") if first_is_secure else ("http", "https")
        origins = [
            f"{scheme}://site.example:{server.port}"
            for scheme, server in zip(schemes, (first, second), strict=True)
        ]
        first.routes["/robots.txt"] = redirect(f"{origins[1]}/robots.txt")
        access = robot.access(origins[0])

    assert (access.outcome, access.cause) == expected
    assert access.origin == origins[0]


# Time and memory ----------------------------------------------------------------------------------

#: Cases that send far more than anyone keeps.
LARGE = [case for case in CASES if case.startswith("endless") or "bomb" in case]


@flavours
@pytest.mark.parametrize("case", [case for case in LARGE if case != "endless small chunks"])  # which is slow
def test_memory_is_bounded(flavour, case):
    with (
        Server() as server,
        open_robot(flavour, robots_timeout=20.0 if case != "endless 100s" else 0.2) as robot,
    ):
        server.routes = routes_of(CASES[case][0], server)
        tracemalloc.start()
        try:
            robot.access(server.origin)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # The body is at most 512 KiB. The memory of half a million rules is tested with the engine.
    assert peak < 32 << 20


@flavours
def test_header_names_are_not_kept(flavour):
    numbers = itertools.count()

    def respond(request):
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        return httpx2.Response(200, headers=[(f"x-{next(numbers):030}", "") for _ in range(1000)])

    with open_robot(flavour, transport=httpx2.MockTransport(respond)) as robot:
        robot.get("http://site.example/")
        tracemalloc.start()
        try:
            for _ in range(30):
                robot.get("http://site.example/")
            gc.collect()
            kept = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert kept < 1 << 20  # the names of all responses have 2 MB


def watched(route, gone):
    """Signal the end of a route. An endless route ends when the client has disconnected."""

    def serve(connection):
        try:
            route(connection)
        finally:
            gone.set()

    return serve


@flavours
@pytest.mark.parametrize(
    ("case", "secure"),
    [("dripping head", False), ("dripping body", False), ("endless 100s", False), ("dripping head", True)],
)
def test_cancelled_request_releases_connection(resolver, authority, flavour, case, secure):
    """Neither a thread nor a connection stays with a server that goes on for ever."""
    gone = threading.Event()
    with (
        Server(tls=authority.server("site.example") if secure else None) as server,
        Server({"/robots.txt": answer(body=RULES)}) as other,
        open_robot(
            flavour, robots_timeout=0.5, limits=httpx2.Limits(max_connections=1), verify=authority.trust
        ) as robot,
    ):
        server.routes["/robots.txt"] = watched(CASES[case][0](server), gone)
        while not server.asked:  # on a slow machine, the first request may not be sent before the timeout
            robot.clock.now += HOUR
            access = robot.access(f"http{'s' * secure}://site.example:{server.port}")
        assert gone.wait()
        after = robot.access(other.origin)
        while after.cause is Cause.TIMEOUT:
            robot.clock.now += HOUR
            after = robot.access(other.origin)

    assert access.cause is Cause.TIMEOUT
    assert after.cause is Cause.OK


class ImpatientTransport(httpx2.HTTPTransport):
    """A transport that waits for a connection of its pool for a short time."""

    def handle_request(self, request):
        request.extensions["timeout"]["pool"] = 0.1
        return super().handle_request(request)


class AsyncImpatientTransport(httpx2.AsyncHTTPTransport):
    """The asynchronous one."""

    async def handle_async_request(self, request):
        request.extensions["timeout"]["pool"] = 0.1
        return await super().handle_async_request(request)


@flavours
@pytest.mark.parametrize("is_known", [True, False])
def test_busy_pool_does_not_count_against_server(flavour, is_known):
    """A request waits for a connection of the client, or of a pool that is smaller than the client knows."""
    limits = httpx2.Limits(max_connections=1)
    create = ImpatientTransport if flavour == "sync" else AsyncImpatientTransport
    options = (
        {"limits": limits} if is_known else {"transport": create(limits=limits), "limits": httpx2.Limits()}
    )
    with (
        Server({"/robots.txt": answer(404), "/page": answer(body=b"page")}) as server,
        Server({"/robots.txt": answer(body=RULES)}, host=HOSTS[1]) as other,
        open_robot(flavour, max_wait=0.1, **options) as robot,
    ):
        with robot.stream("GET", f"{server.origin}/page") as response:
            with pytest.raises(comity.MustWait, match="all connections of the robot are in use"):
                robot.check(f"{other.origin}/page")
            robot.load(response)
        verdict = robot.check(f"{other.origin}/page")

    assert [visit.path for visit in other.visits] == ["/robots.txt"]
    assert verdict.reason.code == "no-rule-matches"
    assert robot.clock.slept == []  # no back-off from a server that got no request


# Retry-After --------------------------------------------------------------------------------------

#: 300 seconds after `START`, in the three forms of RFC 9110 5.6.7, and long ago.
DATES = ("Tue, 14 Nov 2023 22:18:20 GMT", "Tuesday, 14-Nov-23 22:18:20 GMT", "Tue Nov 14 22:18:20 2023")
PAST = "Sun, 06 Nov 1994 08:49:37 GMT"


@flavours
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        *((date, 300.0) for date in DATES),
        ("9" * 20, 86_400.0),
        # 60 s is the policy's own wait after a first failure.
        (PAST, 60.0),
        ("0", 60.0),
        ("-120", 60.0),
        ("1.5", 60.0),
        ("soon", 60.0),
        ("", 60.0),
    ],
)
def test_retry_time_of_robots_txt(flavour, status, value, seconds):
    with Server({"/robots.txt": answer(status, headers={"retry-after": value})}) as server:
        with open_robot(flavour, max_wait=0) as robot:
            access = robot.access(server.origin)
            robot.clock.now = START + seconds - 0.5
            early = robot.access(server.origin)
            server.routes["/robots.txt"] = answer(body=RULES)
            robot.clock.now = START + seconds
            late = robot.access(server.origin)
        asked = list(server.asked)

    assert (access.outcome, access.status, access.checked) == (CLOSED, status, START)
    assert access.expires == START + seconds
    assert early == access
    assert (late.outcome, late.cause) == (Outcome.RULES, Cause.OK)
    assert asked == ["GET /robots.txt"] * 2


# Other origins ------------------------------------------------------------------------------------


@flavours
def test_redirected_rules_apply_to_requested_origin(flavour):
    with Server() as first, Server() as second, open_robot(flavour) as robot:
        first.routes["/robots.txt"] = redirect(f"{second.origin}/rules")
        second.routes = {
            "/rules": answer(body=RULES),
            "/robots.txt": answer(body=b"User-agent: *\nDisallow: /\n"),
        }
        access = robot.access(first.origin)
        verdicts = [robot.check(f"{server.origin}/page").allowed for server in (first, second)]

    assert (access.origin, access.url) == (first.origin, f"{second.origin}/rules")
    assert access.hops == ((f"{first.origin}/robots.txt", 301),)
    assert verdicts == [True, False]
    assert second.asked == ["GET /rules", "GET /robots.txt"]


@flavours
@pytest.mark.parametrize("known_first", ["first", "second"])
def test_shared_robots_txt_is_requested_once(flavour, known_first):
    with (
        Server() as first,
        Server({"/robots.txt": answer(body=RULES)}) as second,
        open_robot(flavour) as robot,
    ):
        first.routes["/robots.txt"] = redirect(f"{second.origin}/robots.txt")
        servers = (first, second) if known_first == "first" else (second, first)
        verdicts = [
            robot.check(f"{server.origin}/{path}").allowed
            for server in servers
            for path in ("page", "private")
        ]

    assert verdicts == [True, False] * 2
    assert first.asked == second.asked == ["GET /robots.txt"]


@flavours
@pytest.mark.parametrize("then", [answer(304, length=False), answer(503), b""])
def test_shared_robots_txt_is_stored_for_both_origins(flavour, then):
    """What another origin's request brought is the answer to that one's validators, and no less a copy."""
    with Server() as first, Server() as second, open_robot(flavour) as robot:
        first.routes["/robots.txt"] = redirect(f"{second.origin}/robots.txt")
        second.routes["/robots.txt"] = answer(body=RULES, headers={"etag": '"1"'})
        robot.access(first.origin)
        second.routes["/robots.txt"] = then
        robot.clock.now += 86_401
        verdicts = [
            robot.check(f"{server.origin}/{path}").allowed
            for server in (first, second)
            for path in ("page", "private")
        ]

    assert verdicts == [True, False] * 2
    assert first.asked == second.asked == ["GET /robots.txt"] * 2


@flavours
@pytest.mark.parametrize(
    ("wrong", "policy"), [(coded("br", RULES), "rfc9309"), (answer(body=HTML), "strict")], ids=["br", "HTML"]
)
def test_missing_shared_robots_txt_is_missing_for_both_origins(flavour, wrong, policy):
    with (
        Server() as first,
        Server({"/robots.txt": wrong}) as second,
        open_robot(flavour, policy=policy) as robot,
    ):
        first.routes["/robots.txt"] = redirect(f"{second.origin}/robots.txt")
        outcomes = [robot.access(server.origin).outcome for server in (second, first)]

    assert outcomes == [CLOSED, CLOSED]


@flavours
def test_mutual_redirects_of_two_origins(flavour):
    with Server() as first, Server() as second, open_robot(flavour) as robot:
        first.routes["/robots.txt"] = redirect(f"{second.origin}/robots.txt")
        second.routes["/robots.txt"] = redirect(f"{first.origin}/robots.txt")
        access = robot.access(first.origin)

    assert (access.outcome, access.cause) == (OPEN, Cause.REDIRECT_LOOP)


@pytest.mark.parametrize(
    ("body", "strange"),
    [(b"<!doctype html>" + b"a" * (600 << 10), "an HTML page"), (bytes(600 << 10), "binary data")],
    ids=["HTML", "binary"],
)
def test_html_in_one_long_line_is_recognised_before_truncation(body, strange):
    with Server({"/robots.txt": answer(body=body)}) as server, open_robot("sync", policy="strict") as robot:
        access = robot.access(server.origin)

    assert (access.outcome, access.cause) == (CLOSED, Cause.NOT_TEXT)
    assert access.detail.endswith(strange)
