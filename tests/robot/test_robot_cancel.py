"""A cancelled call of a robot leaves no lock behind, wherever it is cancelled."""

import asyncio
import json
import threading

import anyio
import anyio.to_thread
import pytest
from http_server import Server, answer

import comity
from comity.testing import FakeClock

RULES = b"User-agent: *\nDisallow: /private\n"
PAGE = answer(body=b"a page")

#: The event loop, and how a task is stopped: by the loop's own means or by anyio's.
WAYS = [("asyncio", "cancel"), ("asyncio", "scope"), ("trio", "scope")]

ways = pytest.mark.parametrize(("loop", "way"), WAYS, ids=map("-".join, WAYS))
stores = pytest.mark.parametrize("home", ["memory", "file"])


def store_of(home, folder):
    return (
        comity.stores.AsyncMemoryStore()
        if home == "memory"
        else comity.stores.AsyncSQLiteStore(folder / "store")
    )


def robot_of(store, clock=None, **options):
    return comity.AsyncRobot(
        "ExampleBot/1.0",
        contact="bot@example.com",
        delay=0.0,
        robots_timeout=20.0,
        trust_env=False,
        store=store,
        clock=clock or FakeClock(),
        **options,
    )


async def stopped(way, work, ready):
    """Do some work until `ready` has come to its end, and stop it then."""
    if way == "cancel":
        task = asyncio.ensure_future(work())
        await ready()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        await ready()
        tasks.cancel_scope.cancel()


def told(event):
    """Wait for an event of a server."""

    async def ready():
        assert await anyio.to_thread.run_sync(event.wait, 20)

    return ready


def tells(event, route):
    """Signal that a request has arrived, or that a part of its answer was sent."""

    def serve(connection):
        if route is None:
            event.set()
            return
        connection.sendall(route)
        event.set()

    def and_wait(connection):
        serve(connection)
        connection.recv(1)  # nothing comes before the client has gone

    return and_wait


#: Where a request is cancelled: the bytes that the server sends before, and the path.
PLACES = {
    "robots.txt": ("/robots.txt", None),
    "in the head of robots.txt": ("/robots.txt", b"HTTP/1.1 200 OK\r\n"),
    "in the body of robots.txt": ("/robots.txt", answer(body=RULES, length=9999)),
    "page": ("/page", None),
    "in the head of a page": ("/page", b"HTTP/1.1 200 OK\r\n"),
    "in the body of a page": ("/page", answer(body=b"a page", length=9999)),
}


@ways
@stores
@pytest.mark.parametrize(("path", "sent"), PLACES.values(), ids=PLACES)
def test_cancelled_while_server_answers(tmp_path, loop, way, home, path, sent):
    records = []

    async def main(server, came):
        store = store_of(home, tmp_path)
        clock = FakeClock()
        async with robot_of(store, clock, log=records.append) as robot:

            async def work():
                await robot.get(f"{server.origin}/page")

            await stopped(way, work, told(came))
            server.routes[path] = answer(body=RULES) if path == "/robots.txt" else PAGE
            response = await robot.get(f"{server.origin}/page")
        await store.aclose()
        return response.text, clock.slept

    came = threading.Event()
    with Server({"/robots.txt": answer(body=RULES), "/page": PAGE}) as server:
        server.routes[path] = tells(came, sent)
        text, slept = anyio.run(main, server, came, backend=loop)

    assert text == "a page"
    assert slept == []  # neither for a lease, nor because of a back-off
    assert server.asked.count("GET /page") == 1 + (path == "/page")
    assert [record["url"].removeprefix(server.origin) for record in records if record["made"]] == [
        request.removeprefix("GET ") for request in server.asked
    ]
    assert json.dumps(records)


@ways
@stores
def test_cancelled_while_in_queue(tmp_path, loop, way, home):
    async def main(server):
        store = store_of(home, tmp_path)
        async with robot_of(store) as robot:
            waiting = anyio.Event()

            async def work():
                waiting.set()
                await robot.get(f"{server.origin}/page")

            async with robot.stream("GET", f"{server.origin}/page"):
                await stopped(way, work, waiting.wait)
            response = await robot.get(f"{server.origin}/page")
        await store.aclose()
        return response.text

    routes = {"/robots.txt": answer(body=RULES), "/page": PAGE}
    with Server(routes) as server:
        assert anyio.run(main, server, backend=loop) == "a page"

    assert server.asked == ["GET /robots.txt", "GET /page", "GET /page"]


class Stuck(FakeClock):
    """A clock whose sleeps never end, until it is repaired."""

    def __init__(self):
        super().__init__()
        self.asleep = anyio.Event()
        self.is_mended = False

    async def sleep(self, seconds):
        if self.is_mended:
            await super().sleep(seconds)
        else:
            self.asleep.set()
            await anyio.sleep_forever()


@ways
@stores
def test_cancelled_while_waiting_for_lease(tmp_path, loop, way, home):
    async def main(server):
        store, clock = store_of(home, tmp_path), Stuck()
        async with robot_of(store, clock) as robot:

            async def work():
                await robot.get(f"{server.origin}/page")

            await robot.access(server.origin)
            await stopped(way, work, clock.asleep.wait)
            clock.is_mended = True
            response = await robot.get(f"{server.origin}/page")
        await store.aclose()
        return response.text, clock.slept

    with Server({"/robots.txt": answer(body=RULES + b"Crawl-delay: 10\n"), "/page": PAGE}) as server:
        assert anyio.run(main, server, backend=loop) == ("a page", [10.0])

    assert server.asked == ["GET /robots.txt", "GET /page"]


class Slow(comity.stores.AsyncMemoryStore):
    """A store that completes an operation once without returning its answer."""

    def __init__(self, method, number):
        super().__init__()
        self.did = anyio.Event()
        self._method = method
        self._number = number

    async def _answered(self, method):
        if method == self._method:
            self._number -= 1
            if self._number == 0:
                self.did.set()
                await anyio.sleep_forever()

    async def load(self, origin):
        access = await super().load(origin)
        await self._answered("load")
        return access

    async def save(self, access):
        await super().save(access)
        await self._answered("save")

    async def acquire(self, origin, demand, holder, now, lease_seconds):
        turn = await super().acquire(origin, demand, holder, now, lease_seconds)
        await self._answered("begin")
        return turn


@ways
@pytest.mark.parametrize(
    ("method", "number"), [("load", 1), ("load", 2), ("save", 1), ("begin", 1), ("begin", 2)]
)
def test_cancelled_while_store_answers(loop, way, method, number):
    async def main(server):
        store, clock = Slow(method, number), FakeClock()
        async with robot_of(store, clock) as robot:

            async def work():
                await robot.get(f"{server.origin}/page")

            await stopped(way, work, store.did.wait)
            response = await robot.get(f"{server.origin}/page")
        return response.text, clock.slept

    with Server({"/robots.txt": answer(body=RULES), "/page": PAGE}) as server:
        assert anyio.run(main, server, backend=loop) == ("a page", [])

    assert server.asked == ["GET /robots.txt", "GET /page"]
