"""The clock of the system is set while a robot waits: no gap is shorter, and no silence is long."""

import time
from itertools import pairwise

import pytest
from http_server import Server, answer
from robot_flavours import FLAVOURS, open_robot

from comity.politeness.concurrency import _async, _sync
from comity.stores import AsyncSQLiteStore, SQLiteStore

HOUR = 3600.0


@pytest.mark.parametrize("module", [_async, _sync])
def test_clock_follows_a_replaced_time(module, monkeypatch):
    """The other tests here replace `time.time`, and so do programs that freeze the time in their tests."""
    monkeypatch.setattr(time, "time", lambda: 12.0)
    assert module.SystemClock().time() == 12.0


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("jump", [-HOUR, 30 * HOUR])
def test_clock_of_the_system_is_set(flavour, jump, monkeypatch):
    """Between two requests and during one. A robots.txt may expire: its dates are those of the system."""
    real, offset = time.time, 0.0

    def set_clock():
        nonlocal offset
        offset += jump
        yield answer(body=b"page")

    monkeypatch.setattr(time, "time", lambda: real() + offset)
    routes = {"/robots.txt": answer(404), "/set": set_clock, "*": answer(body=b"page")}
    with Server(routes, clock=time.monotonic) as server:
        with open_robot(flavour, real_time=True, delay=0.1, max_wait=3.0) as robot:
            robot.get(f"{server.origin}/1")
            robot.get(f"{server.origin}/set")
            robot.get(f"{server.origin}/2")
            offset += jump
            assert robot.host_wait(server.origin) <= 0.1
            assert robot.get(f"{server.origin}/3").text == "page"
        visits = sorted(server.visits)
    pages = [visit.path for visit in visits if visit.path != "/robots.txt"]
    assert pages == ["/1", "/set", "/2", "/3"]
    assert len(visits) - len(pages) <= 3  # once after each jump
    assert all(later.began - earlier.ended >= 0.1 for earlier, later in pairwise(visits))


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_clock_is_set_forward_while_a_store_of_several_processes_is_used(flavour, monkeypatch, tmp_path):
    """The store uses the clock of the system, but the robot knows when it sent its own requests."""
    real, offset = time.time, 0.0
    monkeypatch.setattr(time, "time", lambda: real() + offset)
    busy = answer(503, headers={"retry-after": "1"})
    routes = {"/robots.txt": answer(404), "/busy": busy, "*": answer(body=b"page")}
    store = (SQLiteStore if flavour == "sync" else AsyncSQLiteStore)(tmp_path / "store")
    with Server(routes, clock=time.monotonic) as server:
        with open_robot(flavour, real_time=True, delay=0.3, max_wait=3.0, store=store) as robot:
            robot.get(f"{server.origin}/1")
            offset += HOUR
            robot.get(f"{server.origin}/busy")
            offset += HOUR
            robot.get(f"{server.origin}/2")
            assert robot.visits(server.origin) == 4
            robot.close(store)
        _, *visits = sorted(server.visits)
    assert [visit.path for visit in visits] == ["/1", "/busy", "/2"]
    assert visits[1].began - visits[0].ended >= 0.25
    assert visits[2].began - visits[1].ended >= 0.95
