"""A request is judged by the URL that is sent, however its parts are given."""

import anyio
import httpx2
import pytest
from http_server import Server, answer, redirect
from robot_flavours import FLAVOURS, BusyClock, open_robot

import comity
from comity.testing import FakeClock

RULES = answer(200, b"User-agent: *\nDisallow: /private\n", [("Content-Type", "text/plain")])

#: Paths that a server delivers as /private/x.
DOTTED = [
    "/a/%2e%2e/private/x",
    "/%2e/private/x",
    "/a/.%2E/private/x",
    "/a/%2E./private/x",
    "/./private/x",
    "/a\\..\\private/x",
]


@pytest.fixture(name="site")
def a_site():
    with Server({"/robots.txt": RULES}) as server:
        yield server


def fetched(robot, url, way):
    if way == "stream":
        with robot.stream("GET", url) as response:
            return response
    return getattr(robot, way)(url)


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("path", DOTTED)
@pytest.mark.parametrize("way", ["get", "stream", "page"])
def test_dot_segments_are_removed_before_judging(site, flavour, path, way):
    with open_robot(flavour) as robot:
        with pytest.raises(comity.Disallowed) as caught:
            fetched(robot, site.origin + path, way)
        assert not robot.allowed(site.origin + path)

    assert caught.value.verdict.path == "/private/x"
    assert site.paths() == ["/robots.txt"]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("path", DOTTED)
def test_dot_segments_of_a_redirect(site, flavour, path):
    site.routes["/go"] = redirect(path)
    with open_robot(flavour) as robot, pytest.raises(comity.Disallowed):
        robot.get(f"{site.origin}/go")

    assert site.paths() == ["/robots.txt", "/go"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_url_is_sent_and_logged_as_it_is_judged(site, flavour):
    site.routes |= {"/open/x": answer(200, b"x"), "/a/%252e%252e/b": answer(200, b"y")}
    lines = []
    with open_robot(flavour, log=lines.append) as robot:
        response = robot.get(f"{site.origin}/private/%2e%2e/open/x")
        assert robot.get(f"{site.origin}/a/%252e%252e/b").text == "y"

    assert str(response.url) == f"{site.origin}/open/x"
    assert site.paths() == ["/robots.txt", "/open/x", "/a/%252e%252e/b"]
    assert [line["url"] for line in lines][1:] == [f"{site.origin}/open/x", f"{site.origin}/a/%252e%252e/b"]


#: Arguments by which a request for /ok would be one for another URL, and a part of the message.
SUBSTITUTES = [
    ({"extensions": {"target": b"/private/x"}}, "invalid extension target b'/private/x'"),
    ({"extensions": {"target": "/ok"}}, "invalid extension target '/ok'"),
    ({"extensions": {"target": b"http://other.example/ok"}}, "invalid extension target"),
    ({"extensions": {"sni_hostname": "other.example"}}, "invalid extension sni_hostname 'other.example'"),
    ({"headers": {"Host": "other.example"}}, "invalid header Host 'other.example': the URL has the host"),
    ({"headers": {"host": "127.0.0.1"}}, "invalid header host '127.0.0.1'"),  # the port is missing
    ({"headers": {"Host": ""}}, "invalid header Host ''"),
    ({"headers": {"X-Forwarded-Host": "other.example"}}, "invalid header X-Forwarded-Host"),
    ({"headers": {"X-Host": "other.example"}}, "invalid header X-Host 'other.example'"),
    ({"headers": {"Forwarded": "for=192.0.2.1;host=other.example"}}, "invalid header Forwarded 'for="),
    ({"headers": {"Forwarded": 'for=192.0.2.1, Host="other.example:80"'}}, "invalid header Forwarded"),
    ({"headers": {"X-Original-URL": "/private"}}, "invalid header X-Original-URL"),
    ({"headers": {"X-Rewrite-URL": "/private"}}, "invalid header X-Rewrite-URL"),
    ({"headers": {"X-Original-URI": "/private"}}, "invalid header X-Original-URI"),
    ({"headers": {"X-Real-Host": "other.example"}}, "invalid header X-Real-Host"),
    ({"headers": {"X-Forwarded-Server": "other.example"}}, "invalid header X-Forwarded-Server"),
    ({"headers": {"X_Forwarded_Host": "other.example"}}, "invalid header X_Forwarded_Host"),
    ({"headers": {"X_ORIGINAL_URL": "/private"}}, "invalid header X_ORIGINAL_URL"),
    (
        {"headers": {"X-Original-URL ": "/private"}},
        "invalid header b'X-Original-URL ': a name has letters, digits and signs",
    ),
    ({"headers": {"\tUser-Agent": "Mozilla/5.0"}}, "a name has letters, digits and signs"),
    ({"headers": {":authority": "other.example"}}, "invalid header :authority"),
    ({"headers": {":path": "/private"}}, "invalid header :path"),
    ({"headers": {"X-Forwarded-Uri": "/private"}}, "invalid header X-Forwarded-Uri: it would replace"),
    ({"headers": {"X-Forwarded-Path": "/private"}}, "invalid header X-Forwarded-Path"),
    ({"headers": {"X-Forwarded-Prefix": "/private"}}, "invalid header X-Forwarded-Prefix"),
    ({"headers": {"X-Original-Path": "/private"}}, "invalid header X-Original-Path"),
    ({"headers": {"X-Originating-URL": "/private"}}, "invalid header X-Originating-URL"),
    ({"headers": {"X-Envoy-Original-Path": "/private"}}, "invalid header X-Envoy-Original-Path"),
    ({"headers": {"X-Replaced-Path": "/private"}}, "invalid header X-Replaced-Path"),
    ({"headers": {"X-Override-URL": "/private"}}, "invalid header X-Override-URL"),
    ({"headers": {"X-Rewrite-Uri": "/private"}}, "invalid header X-Rewrite-Uri"),
    ({"headers": {"X-HTTP-DestinationURL": "/private"}}, "invalid header X-HTTP-DestinationURL"),
    ({"headers": {"X-MS-Original-URL": "/private"}}, "invalid header X-MS-Original-URL"),
    ({"headers": {"Request-Uri": "/private"}}, "invalid header Request-Uri"),
    ({"headers": {"X-Host-Override": "other.example"}}, "invalid header X-Host-Override 'other.example'"),
    ({"headers": {"X-Forwarded-Hostname": "other.example"}}, "invalid header X-Forwarded-Hostname"),
    ({"headers": {"X-A": "1\r\nX-Original-URL: /private"}}, "invalid header X-A: its value has a line end"),
    ({"headers": {"X-A": "1\x00"}}, "invalid header X-A: its value has a line end or a NUL"),
    ({"headers": {"X-A\r\nX-B": "1"}}, "a name has letters, digits and signs"),
    ({"headers": [("X-A", "1"), ("X-A", "2\n")]}, "invalid header X-A: its value has a line end"),
]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(("options", "message"), SUBSTITUTES)
def test_request_for_another_url_is_refused(site, flavour, options, message):
    site.routes["/ok"] = answer(200, b"ok")
    with open_robot(flavour) as robot:
        for way in ("get", "page"):
            with pytest.raises(comity.InvalidArgument, match=message):
                getattr(robot, way)(f"{site.origin}/ok", **options)

    assert "/ok" not in site.paths()
    assert "/private/x" not in site.paths()


@pytest.mark.parametrize(("options", "message"), SUBSTITUTES)
def test_transport_refuses_a_request_for_another_url(site, options, message):
    transport = comity.RobotsTransport(
        httpx2.HTTPTransport(), "ExampleBot/1.0", contact="bot@example.com", clock=FakeClock()
    )
    with (
        httpx2.Client(transport=transport, trust_env=False) as client,
        pytest.raises(comity.InvalidArgument, match=message),
    ):
        client.get(f"{site.origin}/ok", **options)

    assert site.paths() == []


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("method", ["GET /private HTTP/1.1\r\nX-A:", "GET\n", "", "GET /private"])
def test_method_with_a_line_end_or_a_space_is_refused(site, flavour, method):
    with open_robot(flavour) as robot:
        with pytest.raises(comity.InvalidArgument, match="invalid method"):
            robot.request(method, f"{site.origin}/ok")
        with pytest.raises(comity.InvalidArgument, match="invalid method"):
            robot.permission(f"{site.origin}/ok", method=method).__enter__()

    assert site.paths() == []


def set_header(request):
    request.headers["X-Original-URL"] = "/private"


#: What another part of the program does with a request that waits.
CHANGES = {
    "url": lambda request: setattr(request, "url", request.url.copy_with(path="/private")),
    "method": lambda request: setattr(request, "method", "DELETE"),
    "headers": set_header,
    "new headers": lambda request: setattr(request, "headers", httpx2.Headers({"Host": "other.example"})),
    "target": lambda request: request.extensions.update(target=b"/private"),
    "extensions": lambda request: setattr(request, "extensions", {"target": b"/private"}),
    "body": lambda request: setattr(request, "stream", httpx2.ByteStream(b"other")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_request_that_changes_while_it_waits_is_sent_as_it_was_judged(site, flavour, change):
    site.routes["/ok"] = answer(200, b"ok")
    lines, clock = [], BusyClock()
    with open_robot(flavour, clock=clock, delay=1.0, log=lines.append) as robot:
        request = robot.build_request("POST", f"{site.origin}/ok", content=b"tea")
        clock.act = lambda: change(request)
        assert robot.send(request).status_code == 200

    assert site.asked == ["GET /robots.txt", "POST /ok"]
    assert site.heads[1]["host"] == site.origin.partition("://")[2]
    assert site.heads[1]["content-length"] == "3"
    assert "x-original-url" not in site.heads[1]
    assert (lines[1]["method"], lines[1]["url"], lines[1]["made"]) == ("POST", f"{site.origin}/ok", True)


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_page_is_read_by_the_url_that_was_sent(site, flavour):
    site.routes["/ok"] = answer(200, b"ok")
    clock = BusyClock()
    with open_robot(flavour, clock=clock, delay=1.0) as robot:
        request = robot.build_request("GET", f"{site.origin}/ok")
        clock.act = lambda: CHANGES["url"](request)
        page = robot.read(robot.send(request))

    assert page.url == f"{site.origin}/ok"


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_transport_sends_what_it_has_judged(site, change):
    site.routes["/ok"] = answer(200, b"ok")
    clock, lines = BusyClock(), []
    transport = comity.RobotsTransport(
        httpx2.HTTPTransport(), "ExampleBot/1.0", contact="bot@example.com", clock=clock, log=lines.append
    )
    with httpx2.Client(transport=transport, trust_env=False) as client:
        request = client.build_request("POST", f"{site.origin}/ok", content=b"tea")
        clock.act = lambda: change(request)
        assert client.send(request).status_code == 200

    assert site.asked == ["GET /robots.txt", "POST /ok"]
    assert "x-original-url" not in site.heads[1]
    assert lines[1]["url"] == f"{site.origin}/ok"


@pytest.mark.parametrize("name", ["comity.sent-url", "sent-url"])
def test_extension_of_the_caller_is_not_one_of_the_robot(site, name):
    transport = comity.RobotsTransport(
        httpx2.HTTPTransport(), "ExampleBot/1.0", contact="bot@example.com", clock=FakeClock()
    )
    with httpx2.Client(transport=transport, trust_env=False) as client:
        request = client.build_request("GET", f"{site.origin}/private")
        allowed = f"{site.origin}/ok"
        request.extensions = {**request.extensions, name: (request.url, allowed, allowed, request.url.netloc)}
        with pytest.raises(comity.Disallowed):
            client.send(request)

    assert site.paths() == ["/robots.txt"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_host_in_the_headers_of_the_client(site, flavour):
    with (
        open_robot(flavour, headers={"Host": "other.example"}) as robot,
        pytest.raises(comity.InvalidArgument, match="invalid header Host"),
    ):
        robot.get(f"{site.origin}/ok")

    assert "/ok" not in site.paths()


def _changed(request):
    request.url = request.url.copy_with(raw_path=b"/a/%2e%2e/private/x")


def _retargeted(request):
    request.extensions["target"] = b"/private/x"


@pytest.mark.parametrize(
    ("change", "error"), [(_changed, comity.Disallowed), (_retargeted, comity.InvalidArgument)]
)
@pytest.mark.parametrize("place", ["hook", "auth"])
def test_request_that_is_changed_before_it_is_sent(site, change, error, place):
    def auth(request):
        change(request)
        return request

    options = {"event_hooks": {"request": [change]}} if place == "hook" else {"auth": auth}
    with open_robot("sync", **options) as robot, pytest.raises(error):
        robot.get(f"{site.origin}/ok")

    assert "/private/x" not in site.paths()


def test_own_host_and_target_are_accepted(site):
    site.routes["/ok"] = answer(200, b"ok")
    host = site.origin.partition("//")[2]
    with open_robot("sync") as robot:
        forwarded = f'for=192.0.2.1;host="{host}";proto=https, for=hosting'
        fields = {"Host": host, "Forwarded": forwarded}
        response = robot.get(f"{site.origin}/ok", headers=fields, extensions={"target": b"/ok"})

    assert response.text == "ok"
    assert site.paths() == ["/robots.txt", "/ok"]


#: Spellings of 127.0.0.1 that the HTTP library accepts.
SPELLINGS = [
    "2130706433",
    "127.1",
    "0x7f.1",
    "0x7F000001",
    "017700000001",
    "127.0.0.1.",
    "0177.0.0.1",
    "127.000.000.001",
    "１２７.0.0.1",
]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_spellings_of_an_ip_address_are_one_host(site, flavour):
    site.routes["/ok"] = answer(200, b"ok")
    site.routes["/go"] = redirect(f"http://0x7f.1:{site.port}/private/x")
    with open_robot(flavour) as robot:
        for host in SPELLINGS:
            response = robot.get(f"http://{host}:{site.port}/ok")
            assert str(response.url) == f"{site.origin}/ok"
        with pytest.raises(comity.Disallowed):
            robot.get(f"{site.origin}/go")

    assert site.paths() == ["/robots.txt", *["/ok"] * len(SPELLINGS), "/go"]
    assert {visit.headers["host"] for visit in site.visits} == {f"127.0.0.1:{site.port}"}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_trace_sees_all_steps_and_changes_none(site, flavour):
    """httpcore2 passes the arguments of its steps to the extension before it uses them."""
    site.routes["/ok"] = answer(200, b"ok")
    events = []

    def look(event, info):
        events.append(event)
        if "request" in info:
            info["request"].url.target = b"/private/x"
            info["request"].headers.append((b"X-Original-URL", b"/private/x"))
        for key, other in (("host", "127.0.0.2"), ("port", 1), ("timeout", None)):
            if key in info:
                info[key] = other

    async def look_async(event, info):
        look(event, info)

    trace = look if flavour == "sync" else look_async
    with open_robot(flavour) as robot:
        response = robot.get(f"{site.origin}/ok", extensions={"trace": trace})
        assert robot.get(f"{site.origin}/ok", extensions=response.request.extensions).text == "ok"

    assert site.paths() == ["/robots.txt", "/ok", "/ok"]
    assert "x-original-url" not in site.heads[-1]
    assert {"connection.connect_tcp.complete", "http11.send_request_headers.started"} <= set(events)


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    "target", ["\\private\\x", "/a\\..\\private\\x?q=\\", "/\\127.0.0.1:{port}\\private\\x"]
)
def test_backslash_is_a_slash_as_in_browsers(site, flavour, target):
    site.routes |= {"/go": redirect(target.format(port=site.port), 302), "/open/x?q=\\": answer(200, b"x")}
    with open_robot(flavour) as robot:
        with pytest.raises(comity.Disallowed, match="/private/x"):
            robot.get(f"{site.origin}/go")
        with pytest.raises(comity.Disallowed, match="/private/x"):
            robot.get(f"{site.origin}/a\\..\\private\\x")
        assert not robot.allowed(f"{site.origin}/private\\x")
        assert robot.get(f"{site.origin}/open\\x?q=\\").text == "x"

    assert site.paths() == ["/robots.txt", "/go", "/open/x?q=\\"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_backslash_in_the_redirect_of_robots_txt(site, flavour):
    site.routes |= {"/robots.txt": redirect("\\en\\robots.txt", 302), "/en/robots.txt": RULES}
    with open_robot(flavour) as robot, pytest.raises(comity.Disallowed):
        robot.get(f"{site.origin}/private/x")

    assert site.paths() == ["/robots.txt", "/en/robots.txt"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_async_transport_under_each_event_loop(site, backend):
    site.routes |= {"/ok": answer(200, b"ok"), "/go": redirect("/private/x", 302)}
    clock = FakeClock()

    async def main():
        transport = comity.AsyncRobotsTransport(
            httpx2.AsyncHTTPTransport(), "ExampleBot/1.0", contact="bot@example.com", clock=clock, delay=2.0
        )
        async with httpx2.AsyncClient(transport=transport, follow_redirects=True) as client:
            began = clock.now
            assert (await client.get(f"{site.origin}/ok")).text == "ok"
            with pytest.raises(comity.Disallowed):
                await client.get(f"{site.origin}/go")
            return clock.now - began

    assert anyio.run(main, backend=backend) == 4.0
    assert site.paths() == ["/robots.txt", "/ok", "/go"]
