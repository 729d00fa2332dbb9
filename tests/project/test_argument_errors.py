"""A value of a wrong type has an error that names the parameter, and a wrong URL is quoted as it was given."""

import pytest

import comity
from comity.stores import RedisStore, SQLiteStore
from comity.testing import FakeSite

ROBOTS = comity.parse("User-agent: x\nDisallow: /")


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: SQLiteStore(3), "invalid path 3"),
        (lambda: SQLiteStore(b"a"), "invalid path b'a'"),
        (lambda: comity.diff("a", "b", agents=3), "agents: "),
        (lambda: comity.diff("a", "b", agents=[3]), "agents: "),
        (lambda: comity.diff("a", "b", agents=["a", ("b", 3)]), "agents: "),
        (lambda: comity.diff(ROBOTS, "", urls=3), "urls: "),
        (lambda: comity.diff(ROBOTS, "", urls=[3]), "urls: "),
        (lambda: comity.page_directives(html="<p>", agent="x", now="3"), "invalid now '3'"),
        (lambda: comity.usage("/", agent="x", robots=ROBOTS, now="3"), "invalid now '3'"),
    ],
)
def test_wrong_type(call, parameter):
    with pytest.raises((TypeError, comity.InvalidArgument), match=f"^{parameter}"):
        call()


@pytest.mark.parametrize("server", [None, 3, b"redis://localhost"])
def test_server_of_wrong_type(server):
    pytest.importorskip("redis")
    with pytest.raises(comity.InvalidArgument, match="^invalid server .*: expected a URL, or a client"):
        RedisStore(server)


def test_names_as_bytes_are_the_same_names():
    new = comity.parse("User-agent: x\nAllow: /")

    assert comity.diff(ROBOTS, new, agents=b"x") == comity.diff(ROBOTS, new, agents="x")
    assert ROBOTS.allowed("/", agent=b"x") is ROBOTS.allowed("/", agent="x") is False


@pytest.mark.parametrize("method", ["get", "page", "stream"])
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("example.com/", "'example.com/' has no scheme; write https://example.com/"),
        ("mailto:a@b.c", "'mailto:a@b.c' has no host, so there is no robots.txt for it"),
    ],
)
def test_wrong_url_is_quoted_as_it_was_given(method, url, problem):
    site = FakeSite({})
    with comity.Robot("A/1", contact="a@b.example", transport=site, clock=site.clock) as robot:
        calls = {
            "get": robot.get,
            "page": robot.page,
            "stream": lambda url: robot.stream("GET", url).__enter__(),
        }
        with pytest.raises(comity.InvalidURL) as caught:
            calls[method](url)
    assert str(caught.value) == problem
