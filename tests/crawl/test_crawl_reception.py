"""The bytes of received headers, from Twisted's client on a transport in memory."""

import pytest
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransportWithDisconnection
from twisted.python.failure import Failure
from twisted.web._newclient import Request, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers

from comity.crawl.output.reception import MAX_HEAD, _Factory, head_being_received


def requested():
    """Send a request; return the protocol that receives the response, and what fires with it."""
    protocol = _Factory(lambda _: None, None).buildProtocol(None)
    transport = StringTransportWithDisconnection()
    transport.protocol = protocol
    protocol.makeConnection(transport)
    headers = Headers({b"Host": [b"tea.example"], b"x-note": [b"1", b"2"]})
    return protocol, protocol.request(Request(b"GET", b"/", headers, None, persistent=True))


def received(*parts):
    """Send a request, receive some bytes, and return the header as it was during the callback."""
    heads = []
    protocol, done = requested()
    done.addCallback(lambda _: heads.append(head_being_received()))
    done.addErrback(lambda failure: heads.append(failure.value))
    for part in parts:
        protocol.dataReceived(part)
    assert head_being_received() is None
    return heads[0]


class Body(Protocol):
    """Receives a body, and the reason of its end."""

    def __init__(self):
        self.data = b""

    def dataReceived(self, data):  # noqa: N802  # the name of Twisted
        self.data += data

    def connectionLost(self, reason):  # noqa: N802
        self.end = reason.value


@pytest.mark.parametrize(
    ("fields", "reason", "end"),
    [
        (b"", ConnectionDone, PotentialDataLoss),
        (b"", ConnectionLost, ResponseFailed),
        (b"Content-Length: 9\r\n", ConnectionDone, ResponseFailed),
        (b"Transfer-Encoding: identity\r\n", ConnectionDone, PotentialDataLoss),
    ],
)
def test_body_whose_end_is_that_of_the_connection(fields, reason, end):
    """If the connection was reset, the end of the body is missing."""
    protocol, done = requested()
    body = Body()
    done.addCallback(lambda response: response.deliverBody(body))
    protocol.dataReceived(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + fields + b"\r\nhalf")
    protocol.connectionLost(Failure(reason()))
    assert (body.data, type(body.end)) == (b"half", end)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200\r\nx-ODD:1\r\nX-Odd:  2 \r\nset-cookie: a\r\nSET-COOKIE: b\r\n\r\n",
        b"HTTP/1.0 404 \xe9\xff\r\nX-Fold: a\r\n\tb\r\n  c\r\nX-Ctl: \x01\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-ENCODING: chunked\r\nTrailer: x\r\n\r\n",
    ],
    ids=["shortest", "spelling", "bytes", "invalid", "chunked"],
)
@pytest.mark.parametrize("cut", [0, 5, 21])
def test_header_is_kept_as_it_was_received(head, cut):
    found = received(head[:cut], head[cut:])
    assert found.lines == head
    assert found.status == int(head.split()[1])
    assert found.request_fields == [("Host", "tea.example"), ("X-Note", "1"), ("X-Note", "2")]
    assert found.ip_address == "192.168.1.1"


@pytest.mark.parametrize(
    ("version", "fields", "is_open"),
    [
        (b"1.1", b"", True),
        (b"1.1", b"Connection: close\r\n", False),
        (b"1.1", b"connection: TE, Close\r\n", False),
        (b"1.0", b"", False),
        (b"1.0", b"Connection: Keep-Alive\r\n", True),
    ],
)
def test_connection_is_used_again_only_if_the_server_keeps_it(version, fields, is_open):
    protocol, done = requested()
    done.addCallback(lambda response: response.deliverBody(Body()))
    protocol.dataReceived(b"HTTP/" + version + b" 204 No\r\nContent-Length: 0\r\n" + fields + b"\r\n")
    assert protocol.transport.connected is is_open


def test_informational_responses_are_left_out():
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    assert (
        received(hints + hints + b"HTTP/1.1 204 No\r\na: b\r\n\r\n").lines
        == b"HTTP/1.1 204 No\r\na: b\r\n\r\n"
    )


def test_line_ends_become_those_of_http():
    assert received(b"HTTP/1.1 200 OK\na: b\n\n").lines == b"HTTP/1.1 200 OK\r\na: b\r\n\r\n"


@pytest.mark.parametrize("blank", [b" ", b"\t ", b"\r", b"\x0c", b"\x85", b"\xc2\xa0", b" \xe2\x80\xa8"])
def test_lines_without_text_are_left_out(blank):
    """warcio takes each of them for the end of the header."""
    head = b"HTTP/1.1 200 OK\r\na: b\r\n" + blank + b"\r\nc: d\r\n\r\n"
    assert received(head).lines == b"HTTP/1.1 200 OK\r\na: b\r\nc: d\r\n\r\n"


def test_a_line_has_no_limit_of_its_own():
    line = b"x: " + b"y" * 100_000 + b"\r\n"
    assert received(b"HTTP/1.1 200 OK\r\n", line, b"\r\n").lines == b"HTTP/1.1 200 OK\r\n" + line + b"\r\n"
    assert isinstance(received(b"HTTP/1.1 200 OK\r\n", b"x: " + b"y" * MAX_HEAD), ResponseFailed)


@pytest.mark.parametrize("lines", [0, -1], ids=["many", "endless"])
def test_header_that_is_too_long_ends_the_response(lines):
    line = b"x: " + b"y" * 1000 + b"\r\n"
    parts = [b"HTTP/1.1 200 OK\r\n", *[line] * (MAX_HEAD // len(line) + 1), b"\r\n"]
    assert isinstance(received(*parts[: len(parts) + lines]), ResponseFailed)
    assert received(*parts[:9], b"\r\n").lines == b"".join([*parts[:9], b"\r\n"])


@pytest.mark.parametrize(
    "status", [b"9" * 30, b"1000", b"99", b"-200", b"+20", b"2_0", b"20 0", "\u0662".encode()]
)
def test_status_that_has_not_three_digits_ends_the_response(status):
    assert isinstance(received(b"HTTP/1.1 " + status + b" OK\r\n\r\n"), ResponseFailed)


@pytest.mark.parametrize("version", [b"HTTP\xce/1.1", b"ICY/1.0", b"HTTP/1.", b"HTTP/1.11", b"/1.1"])
def test_version_that_is_not_of_http_ends_the_response(version):
    assert isinstance(received(version + b" 200 OK\r\n\r\n"), ResponseFailed)
