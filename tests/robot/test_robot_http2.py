"""HTTP/2: the robot keeps its rules on connections that many requests could share."""

import threading

import anyio
import httpx2
import pytest
import trustme
from certificates import client_context, server_context
from http2_server import Http2Server
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.testing import FakeClock

RULES = b"User-agent: *\nDisallow: /private\n"
ROUTES = {"/robots.txt": (200, RULES), "/tea": (200, b"tea")}

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def verify(authority):
    return client_context(authority)


@pytest.fixture
def site(authority):
    context = server_context(authority, "127.0.0.1")
    with Http2Server(context, ROUTES) as server:
        yield server


@flavours
def test_one_connection_for_robots_txt_and_pages(flavour, site, verify):
    with open_robot(flavour, verify=verify, http2=True, delay=2.0) as robot:
        response = robot.get(f"{site.origin}/tea")
        began = robot.clock.now
        robot.get(f"{site.origin}/a/%2e%2e/tea")
        assert robot.clock.now - began == 2.0
        with pytest.raises(comity.Disallowed):
            robot.get(f"{site.origin}/private")

    assert (response.http_version, response.text) == ("HTTP/2", "tea")
    assert site.requests == [(1, "/robots.txt"), (1, "/tea"), (1, "/tea")]


def test_threads_have_one_stream_at_a_time(site, verify):
    with open_robot("sync", verify=verify, http2=True, max_wait=None) as robot:
        threads = [threading.Thread(target=robot.get, args=(f"{site.origin}/tea",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert site.paths == ["/robots.txt", *["/tea"] * 8]
    assert set(site.open_streams) == {1}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_tasks_have_one_stream_at_a_time(site, verify, backend):
    async def main():
        options = {"verify": verify, "http2": True, "trust_env": False, "clock": FakeClock(), "delay": 0.0}
        robot = comity.AsyncRobot("ExampleBot/1.0", contact="bot@example.com", **options)
        async with robot, anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(robot.get, f"{site.origin}/tea")

    anyio.run(main, backend=backend)

    assert site.paths == ["/robots.txt", *["/tea"] * 8]
    assert set(site.open_streams) == {1}
    assert site.connections == 1


@flavours
@pytest.mark.parametrize("fault", ["reset", "goaway", "closed", "half", "word", "fields", "stray"])
def test_fault_in_robots_txt_closes_the_site(flavour, site, verify, fault):
    lines = []
    site.routes["/robots.txt"] = fault
    with open_robot(flavour, verify=verify, http2=True, log=lines.append) as robot:
        with pytest.raises(comity.Unreachable):
            robot.get(f"{site.origin}/tea")
        assert robot.host_wait(site.origin) > 20.0

    assert "/tea" not in site.paths
    assert [line["made"] for line in lines] == [True, False]


@flavours
@pytest.mark.parametrize("fault", ["reset", "goaway", "closed", "half", "word", "fields"])
def test_fault_in_a_page_counts_as_a_failure(flavour, site, verify, fault):
    lines = []
    site.routes["/bad"] = fault
    with open_robot(flavour, verify=verify, http2=True, log=lines.append, max_wait=100.0) as robot:
        with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError)):
            robot.get(f"{site.origin}/bad")
        waits = robot.host_wait(site.origin)
        assert robot.get(f"{site.origin}/tea").text == "tea"

    assert (waits > 20.0) is (fault != "half")  # the server has answered
    assert [line["made"] for line in lines] == [True, True, True]
    assert site.open_streams == [1] * len(site.open_streams)


def test_error_of_a_signal_handler_is_not_one_of_the_server():
    """The handler interrupts the reading of a response; its code is that of the program."""

    def _receive_events(request):
        raise ValueError("of the handler")

    with (
        open_robot("sync", transport=httpx2.MockTransport(_receive_events)) as robot,
        pytest.raises(ValueError, match="of the handler") as caught,
    ):
        robot.get("https://example.com/")
    assert type(caught.value) is ValueError


@flavours
def test_connection_that_accepts_no_other_stream_is_replaced(flavour, site, verify):
    site.routes["/last"] = "last"
    with open_robot(flavour, verify=verify, http2=True) as robot:
        assert [robot.get(f"{site.origin}{path}").text for path in ("/last", "/tea")] == ["last", "tea"]

    assert site.requests == [(1, "/robots.txt"), (1, "/last"), (2, "/tea")]


@pytest.mark.parametrize("robot", [comity.Robot, comity.AsyncRobot])
def test_missing_package_is_named_when_the_robot_is_created(robot, monkeypatch):
    monkeypatch.setattr("comity.robot.client_options.find_spec", lambda name: None)
    with pytest.raises(comity.InvalidArgument, match="http2=True needs the package h2; install it") as caught:
        robot("ExampleBot/1.0", contact="bot@example.com", http2=True)
    assert caught.value.name == "http2"
