"""A client that visits more origins than it has connections."""

import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx2
import pytest

import comity
from comity.politeness.concurrency._sync import FifoSlots
from comity.politeness.pace import required_delay
from comity.stores import AsyncMemoryStore

WHO = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com", "delay": 0.0}
RULES = b"User-agent: *\nDisallow: /private\n"


class AsyncSite(httpx2.AsyncBaseTransport):
    """Counts the requests under way; those for `held` wait for `go`."""

    def __init__(self, held="", redirects=()):
        self.held, self.redirects = held, dict(redirects)
        self.go = anyio.Event()
        self.sent, self.now, self.peak = [], 0, 0

    async def handle_async_request(self, request):
        url = str(request.url)
        self.now += 1
        self.peak = max(self.peak, self.now)
        self.sent.append(url)
        try:
            await anyio.sleep(0)
            if url == self.held:
                await self.go.wait()
            if url in self.redirects:
                return httpx2.Response(301, headers={"location": self.redirects[url]})
            return httpx2.Response(200, headers={"content-type": "text/plain"}, content=RULES)
        finally:
            self.now -= 1


def robot_of(site, number, **options):
    return comity.AsyncRobot(**WHO, transport=site, limits=httpx2.Limits(max_connections=number), **options)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_every_request_gets_a_connection(backend):
    async def visit():
        site = AsyncSite()
        async with robot_of(site, 3) as robot, anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(robot.get, f"https://{number}.example/")
        assert len(site.sent) == 80
        assert site.peak == 3

    anyio.run(visit, backend=backend)


def test_every_thread_gets_a_connection():
    counting = threading.Lock()
    now = peak = 0

    def respond(request):
        nonlocal now, peak
        with counting:
            now += 1
            peak = max(peak, now)
        with counting:
            now -= 1
        return httpx2.Response(200, content=RULES, headers={"content-type": "text/plain"})

    options = {"transport": httpx2.MockTransport(respond), "limits": httpx2.Limits(max_connections=3)}
    with comity.Robot(**WHO, **options) as robot, ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(robot.get, [f"https://{number}.example/" for number in range(40)]))

    assert [answer.status_code for answer in answers] == [200] * 40
    assert peak <= 3


def test_lease_is_not_held_while_waiting_for_connection():
    async def visit():
        store, first, second = AsyncMemoryStore(), "https://a.example", "https://b.example"
        site = AsyncSite(held=f"{first}/page")
        async with robot_of(site, 1, store=store) as robot:
            await robot.check(first)
            await robot.check(second)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(robot.get, f"{first}/page")
                tasks.start_soon(robot.get, f"{second}/page")
                await anyio.wait_all_tasks_blocked()
                delay = required_delay(None, floor=0.0, now=0.0)
                assert await store.wait("a.example", delay, None) is not None
                assert await store.wait("b.example", delay, None) is None
                site.go.set()
        assert site.sent[-2:] == [f"{first}/page", f"{second}/page"]

    anyio.run(visit)


def test_redirects_to_other_origins_need_one_connection():
    """The origins redirect to each other, so each request for a robots.txt needs both leases."""
    names = [f"https://{number}.example" for number in range(6)]
    redirects = {
        f"{name}/robots.txt": f"{target}/robots.txt"
        for name, target in zip(names, [*names[3:], *names[:3]], strict=True)
    }
    redirects |= {f"{names[0]}/robots.txt": f"{names[0]}/robots", f"{names[1]}/robots.txt": f"{names[2]}/r"}

    async def visit():
        site = AsyncSite(redirects=redirects)
        async with robot_of(site, 1, max_wait=30.0) as robot, anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(robot.check, f"{name}/")
        assert site.peak == 1

    anyio.run(visit)


def test_cancelled_request_gives_its_connection_back():
    async def visit():
        site = AsyncSite(held="https://a.example/page")
        async with robot_of(site, 1, max_wait=5.0) as robot:
            await robot.check("https://a.example/")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(robot.get, "https://a.example/page")
                tasks.start_soon(robot.get, "https://b.example/page")
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()
            assert (await robot.get("https://c.example/page")).status_code == 200

    anyio.run(visit)


def test_slots_are_given_in_the_order_of_the_requests():
    slots, order = FifoSlots(1), []
    assert slots.take_now()
    assert not slots.take_now()
    assert not slots.take(0.001)
    threads = []
    for number in range(5):
        waiting = len(slots._waiting)
        thread = threading.Thread(target=lambda number=number: (slots.take(10), order.append(number)))
        thread.start()
        while len(slots._waiting) == waiting:
            thread.join(0.0001)
        threads.append(thread)
    for number, thread in enumerate(threads):
        slots.give_back()
        thread.join(10)
        assert order[-1] == number
    slots.give_back()

    assert slots.take_now()
    assert not slots.take_now()


@pytest.mark.parametrize(("number", "kept"), [(None, 20), (50, 50)])
def test_idle_connections_are_limited(number, kept):
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=number)
    with comity.Robot(**WHO, trust_env=False, limits=limits) as robot:
        assert robot._obeying._wrapped._pool._max_keepalive_connections == kept
