"""SIGTERM ends a process at once, as always, but its leases are released first."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from http_server import Server, answer
from platforms import posix_only

import comity
from comity.politeness.concurrency import termination

pytestmark = posix_only("signals that end a process")

GAP = 0.15

SYNC = """
import comity, sys
from comity.politeness.concurrency import termination
termination.GRACE = 60.0
with comity.stores.{kind}Store(*sys.argv[2:]) as store:
    with comity.Robot("ExampleBot/1.0", contact="bot@example.com", store=store, delay={gap}, trust_env=False) as robot:
        robot.get(sys.argv[1])
"""

THREADS = """
import comity, sys, threading
from comity.politeness.concurrency import termination
termination.GRACE = 60.0
store = comity.stores.{kind}Store(*sys.argv[2:])
robot = comity.Robot("ExampleBot/1.0", contact="bot@example.com", store=store, delay={gap}, trust_env=False)
thread = threading.Thread(target=robot.get, args=(sys.argv[1],))
thread.start()
thread.join()
"""

ASYNC = """
import asyncio, comity, sys
from comity.politeness.concurrency import termination
termination.GRACE = 60.0
async def main():
    async with comity.stores.Async{kind}Store(*sys.argv[2:]) as store:
        async with comity.AsyncRobot(
            "ExampleBot/1.0", contact="bot@example.com", store=store, delay={gap}, trust_env=False
        ) as robot:
            await robot.get(sys.argv[1])
asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("script", "kind"), [(SYNC, "SQLite"), (THREADS, "SQLite"), (ASYNC, "SQLite"), (ASYNC, "Redis")]
)
def test_leases_are_released(script, kind, tmp_path, monkeypatch, request):
    """For robots of other machines, too, which cannot find out that the process has ended."""
    monkeypatch.setattr("comity.politeness.stores.database.has_ended", lambda _: False)
    asked = threading.Event()

    def hang(connection):
        asked.set()
        assert connection.recv(1) == b""

    if kind == "Redis":
        monkeypatch.setattr("comity.politeness.stores._sync.redis.has_ended", lambda _: False)
        place = request.getfixturevalue("redis_url")
    else:
        place = tmp_path / "store"
    with Server({"/robots.txt": answer(404), "/hang": hang, "*": answer(body=b"page")}) as server:
        command = [
            sys.executable,
            "-c",
            script.format(gap=GAP, kind=kind),
            f"{server.origin}/hang",
            str(place),
        ]
        with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
            assert asked.wait()
            terminated = time.time()
            process.terminate()
            assert process.wait() == -signal.SIGTERM
            assert process.stderr.read() == ""
        store = getattr(comity.stores, f"{kind}Store")(place)
        with (
            store,
            comity.Robot(
                "ExampleBot/1.0",
                contact="b@example.com",
                store=store,
                delay=GAP,
                max_wait=60.0,
                trust_env=False,
            ) as robot,
        ):  # a lease that was not released would last for two minutes
            assert robot.get(f"{server.origin}/page").text == "page"
    (page,) = (visit for visit in server.visits if visit.path == "/page")
    assert page.began - terminated >= GAP


@pytest.fixture
def default_action():
    earlier = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, earlier)


def make_robot(store):
    return comity.Robot("ExampleBot/1.0", contact="bot@example.com", store=store, trust_env=False)


def test_handler_is_installed_while_a_robot_with_a_shared_store_is_open(default_action, tmp_path):
    with comity.stores.SQLiteStore(tmp_path / "store") as store:
        with make_robot(comity.stores.MemoryStore()):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        with make_robot(store):
            assert signal.getsignal(signal.SIGTERM) is termination._handle
            with make_robot(store):
                pass
            assert signal.getsignal(signal.SIGTERM) is termination._handle
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_handler_of_the_program_is_left_alone(default_action, tmp_path):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with comity.stores.SQLiteStore(tmp_path / "store") as store:
        with make_robot(store):
            assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with make_robot(store):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
