"""Mounted transports send what the robot permits; robots.txt takes the same mount as the pages of its site."""

import httpx2
import pytest
from http_server import Server, answer
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.robot.transports import Mounts
from comity.testing import FakeSite

RULES = b"User-agent: *\nDisallow: /private\n"

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def sites(*hosts, **options):
    """Return a fake site for each host, which answers with the name of the host."""
    return [FakeSite({"/": host}, robots=RULES, origin=f"https://{host}", **options) for host in hosts]


@flavours
def test_robots_txt_takes_the_mount_of_the_page(flavour):
    default, mounted = sites("a.example", "b.example")
    with open_robot(flavour, transport=default, mounts={"https://b.example": mounted}) as robot:
        assert [robot.get(f"https://{host}/").text for host in ("a.example", "b.example")] == [
            *("a.example", "b.example")
        ]
        for host in ("a.example", "b.example"):
            with pytest.raises(comity.Disallowed):
                robot.get(f"https://{host}/private")
            assert not robot.allowed(f"https://{host}/private")

    for site in (default, mounted):
        assert site.paths == ["/robots.txt", "/"]


@flavours
def test_redirect_from_one_mount_to_another_is_judged(flavour):
    default, mounted = sites("a.example", "b.example")
    default.pages["/go"] = httpx2.Response(302, headers={"location": "https://b.example/private"})
    with open_robot(flavour, transport=default, mounts={"all://b.example": mounted}) as robot:
        with pytest.raises(comity.Disallowed, match="https://b.example/private"):
            robot.get("https://a.example/go")
        with robot.permission("https://b.example/") as permit:
            permit.record(status=200)

    assert mounted.paths == ["/robots.txt"]


@flavours
def test_redirect_of_robots_txt_takes_the_mount_of_its_target(flavour):
    default, mounted = sites("a.example", "b.example")
    default.pages["/robots.txt"] = httpx2.Response(301, headers={"location": "https://b.example/robots.txt"})
    with (
        open_robot(flavour, transport=default, mounts={"https://b.example": mounted}) as robot,
        pytest.raises(comity.Disallowed, match="/private"),
    ):
        robot.get("https://a.example/private")


@pytest.mark.parametrize(
    "pattern", ["all://", "https://", "all://*", "https://a.example:443", "all://*a.example"]
)
def test_no_pattern_takes_a_request_past_the_rules(pattern):
    default, mounted = sites("a.example", "a.example")
    with open_robot("sync", transport=default, mounts={pattern: mounted}) as robot:
        for url in ("https://a.example/private", "https://a.example:443/x/%2e%2e/private"):
            with pytest.raises(comity.Disallowed):
                robot.get(url)
        with pytest.raises(comity.Disallowed), robot.stream("GET", "https://a.example/private"):
            pytest.fail("it is streamed")

    assert mounted.paths == ["/robots.txt"]
    assert default.requests == []


@flavours
def test_all_requests_to_a_site_keep_one_distance(flavour):
    default, mounted = sites("a.example", "b.example")
    mounts = {"https://a.example": None, "https://b.example": mounted}
    with open_robot(flavour, transport=default, mounts=mounts, delay=5.0) as robot:
        began = robot.clock.now
        robot.get("https://b.example/")
        robot.get("https://b.example/")
        assert robot.clock.now - began == 10.0


class Closing(httpx2.MockTransport):
    """A transport that counts how often it is closed."""

    def __init__(self):
        super().__init__(lambda request: httpx2.Response(404))
        self.closed = 0

    def close(self):
        self.closed += 1

    async def aclose(self):
        self.closed += 1


@flavours
def test_each_transport_is_closed_once(flavour):
    default, mounted = Closing(), Closing()
    mounts = {"https://a.example": mounted, "https://b.example": mounted, "all://c.example": None}
    with open_robot(flavour, transport=default, mounts=mounts) as robot:
        assert robot.get("https://c.example/").status_code == 404

    assert (default.closed, mounted.closed) == (1, 1)


@flavours
def test_none_is_a_direct_request_and_mounts_precede_proxies(flavour, monkeypatch):
    via = Closing()
    with Server({"/robots.txt": answer(404), "/": answer(body=b"direct")}) as site, Server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        for options in ({"trust_env": True}, {"proxy": proxy.origin}):
            with open_robot(
                flavour, mounts={"http://127.0.0.1": None, "http://b.example": via}, **options
            ) as robot:
                assert robot.get(f"{site.origin}/").text == "direct"
                assert robot.get("http://b.example/").status_code == 404
                assert proxy.asked == []
                assert robot.get("http://c.example/").status_code == 404
            assert proxy.asked == ["GET http://c.example/robots.txt", "GET http://c.example/"]
            proxy.asked.clear()


@flavours
def test_public_only_holds_for_mounts(flavour):
    direct = httpx2.HTTPTransport if flavour == "sync" else httpx2.AsyncHTTPTransport
    with (
        Server({"/": answer(body=b"secret")}) as site,
        open_robot(flavour, mounts={"all://127.0.0.1": direct()}, public_only=True) as robot,
    ):
        with pytest.raises(comity.errors.NotPublic):
            robot.get(f"{site.origin}/")
        with pytest.raises(comity.errors.NotPublic):
            robot.get(f"http://localhost:{site.port}/")
        assert site.asked == []
    with pytest.raises(comity.InvalidArgument, match="public_only cannot be enforced"):
        open_robot(flavour, mounts={"all://": direct(proxy=site.origin)}, public_only=True).__enter__()


_HOSTS = st.sampled_from(["a.example", "b.a.example", "xa.example", "example", "127.0.0.1"])
_URLS = st.builds(
    "{}://{}{}/".format, st.sampled_from(["http", "https"]), _HOSTS, st.sampled_from(["", ":8080"])
)
_PATTERNS = st.one_of(
    st.builds(
        "{}://{}{}".format,
        st.sampled_from(["all", "http", "https"]),
        st.one_of(_HOSTS, _HOSTS.map("*.{}".format), _HOSTS.map("*{}".format), st.sampled_from(["", "*"])),
        st.sampled_from(["", ":8080"]),
    ).filter(lambda pattern: "//:" not in pattern),
    st.just("all://127.0.0.0/8"),
)


@settings(max_examples=60)
@given(st.lists(_PATTERNS, max_size=4, unique=True), _URLS)
def test_choice_is_that_of_httpx2(patterns, url):
    transports = {pattern: Closing() for pattern in patterns}
    default = Closing()
    with httpx2.Client(mounts=transports, transport=default) as client:
        expected = client._transport_for_url(httpx2.URL(url))

    assert Mounts(transports).find(httpx2.URL(url), default) is expected
