"""A forked process opens connections of its own: its parent uses those that existed before."""

import os

import httpx2
import pytest
import trustme
from certificates import client_context, server_context
from http2_server import Http2Server
from platforms import posix_only

import comity

pytestmark = posix_only("forks")

ROUTES = {"/robots.txt": (200, b"User-agent: *\nDisallow: /private\n"), "/tea": (200, b"tea")}


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def secure(authority):
    """The options of a transport of httpx2."""
    context = client_context(authority)
    return {"verify": context, "http2": True}


@pytest.fixture
def site(authority):
    context = server_context(authority, "127.0.0.1")
    with Http2Server(context, ROUTES) as server:
        yield server


#: The options of a robot whose requests take a transport of its own, a route beside a proxy, or a mount.
WAYS = {
    "direct": lambda secure: {"trust_env": False, **secure},
    "route": lambda secure: secure,
    "mount": lambda secure: {"mounts": {"https://": httpx2.HTTPTransport(**secure)}},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_forked_process_has_its_own_connections(way, secure, site, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # for other URLs
    with comity.Robot("ExampleBot/1.0", contact="bot@example.com", delay=0.0, **way(secure)) as robot:
        robot.get(f"{site.origin}/tea")
        child = os.fork()
        if not child:
            answers = [robot.get(f"{site.origin}/tea").text for _ in range(2)]
            os._exit(0 if answers == ["tea", "tea"] else 1)
        assert os.waitpid(child, 0)[1] == 0
        robot.get(f"{site.origin}/tea")

    assert site.requests == [(1, "/robots.txt"), (1, "/tea"), (2, "/tea"), (2, "/tea"), (1, "/tea")]


def test_connection_in_use_is_left_to_the_parent(secure, site):
    """A thread of the parent receives a response, and holds the lock of the pool, while the process forks."""
    transport = httpx2.HTTPTransport(**secure)
    pool = transport._pool
    with (
        comity.Robot("ExampleBot/1.0", contact="bot@example.com", delay=0.0, transport=transport) as robot,
        robot.stream("GET", f"{site.origin}/tea") as response,
    ):
        lock = pool._optional_thread_lock
        with lock:
            child = os.fork()
            if not child:
                is_empty = not pool.connections and pool._optional_thread_lock is not lock
                os._exit(0 if is_empty else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert response.read() == b"tea"
