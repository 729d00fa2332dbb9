"""A forked process opens connections of its own: its parent uses those that existed before."""

import os
import threading
from contextlib import suppress

import anyio
import httpx2
import pytest
import trustme
from certificates import client_context, server_context
from http2_server import Http2Server
from http_server import Server, answer
from platforms import posix_only

import comity
from comity.stores import MemoryStore, SQLiteStore

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
                own = transport._pool
                is_own = not own.connections and lock not in (
                    own._optional_thread_lock,
                    pool._optional_thread_lock,
                )
                os._exit(0 if is_own else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert response.read() == b"tea"


def status_of_child(act):
    """Return the exit status of a forked process: 0 if a function returns True there, 3 if it raises."""
    child = os.fork()
    if not child:
        status = 3
        with suppress(BaseException):
            status = 0 if act() else 1
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


OPTIONS = {"contact": "bot@example.com", "delay": 0.0, "trust_env": False, "max_wait": 20.0}


@pytest.fixture(name="plain")
def a_plain_site():
    with Server(
        {"/robots.txt": answer(404), "/tea": answer(body=b"tea"), "/big": answer(body=b"x" * 99)}
    ) as server:
        yield server


def test_request_of_another_thread_does_not_hold_the_queue_of_the_child(plain):
    is_asked, may_answer = threading.Event(), threading.Event()

    def slow(connection):
        is_asked.set()
        may_answer.wait(60)
        connection.sendall(answer(body=b"slow"))

    plain.routes["/slow"] = slow
    with comity.Robot("ExampleBot/1.0", **OPTIONS) as robot:
        robot.get(f"{plain.origin}/tea")
        received = []
        thread = threading.Thread(target=lambda: received.append(robot.get(f"{plain.origin}/slow").text))
        thread.start()
        is_asked.wait(60)
        try:
            assert status_of_child(lambda: robot.get(f"{plain.origin}/tea").text == "tea") == 0
        finally:
            may_answer.set()
            thread.join()
        assert received == ["slow"]
        assert robot.get(f"{plain.origin}/tea").text == "tea"


@pytest.mark.parametrize("shared", [False, True])
def test_open_stream_is_left_to_the_parent(plain, tmp_path, shared):
    store = SQLiteStore(tmp_path / "store.db") if shared else MemoryStore()
    lines = []
    with comity.Robot("ExampleBot/1.0", store=store, log=lines.append, **OPTIONS) as robot:
        with robot.stream("GET", f"{plain.origin}/big") as response:
            known = len(lines)

            def act():
                response.close()
                is_held = shared and robot.host_wait(plain.origin) > 0
                return len(lines) == known and is_held is shared

            assert status_of_child(act) == 0
            assert response.read() == b"x" * 99
        assert robot.get(f"{plain.origin}/tea").text == "tea"
    store.close()


def test_open_stream_of_an_async_robot_is_left_to_the_parent(plain):
    async def get(robot):
        return (await robot.get(f"{plain.origin}/tea")).text == "tea"

    async def main():
        async with comity.AsyncRobot("ExampleBot/1.0", **OPTIONS) as robot:
            async with robot.stream("GET", f"{plain.origin}/big") as response:
                # A thread that runs no event loop forks.
                status = await anyio.to_thread.run_sync(status_of_child, lambda: anyio.run(get, robot))
                assert status == 0
                assert await response.aread() == b"x" * 99
            assert await get(robot)

    anyio.run(main)
