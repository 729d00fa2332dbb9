"""Politeness by the logs of the servers: requests, their number and their distance."""

import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

import anyio
import anyio.lowlevel
import forked_python
import pytest
from anyio.from_thread import start_blocking_portal
from http_server import HOSTS, Server, answer, redirect
from store_backends import BlockingStore

from comity import Outcome
from comity.errors import Disallowed, MustWait, StoreUnavailable
from comity.politeness.pace import Wait
from comity.robot._async.client import AsyncRobot
from comity.robot._sync.client import Robot
from comity.stores import AsyncMemoryStore, MemoryStore

ROBOTS = b"User-agent: *\nDisallow: /private\n"
CRAWLER = [str(Path(__file__).parents[1] / "support" / "robot_process.py")]
WHO = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com"}
HOUR, DAY = 3600.0, 86_400.0


@pytest.fixture
def sites():
    """Yield three sites, on hosts of their own, that allow everything except `/private`."""
    with ExitStack() as stack:
        routes = {"/robots.txt": answer(body=ROBOTS), "*": answer(body=b"page")}
        yield [stack.enter_context(Server(routes, host=host)) for host in HOSTS]


def polite(site, gap, pages):
    """Check the log of a site: no robot violated its rules, and all robots continued."""
    visits = sorted(site.visits)
    assert visits[0].path == "/robots.txt"
    assert Counter(site.paths()) == Counter(["/robots.txt", *pages])
    gaps = [later.began - earlier.ended for earlier, later in pairwise(visits)]
    assert min(gaps) >= gap


def together(*functions):
    """Call functions in threads of their own, at once, and raise what one of them raises."""
    start, failures = threading.Barrier(len(functions)), []

    def call(function):
        start.wait()
        try:
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=call, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


# Tasks, threads and processes -----------------------------------------------------------------------


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_fifty_tasks_of_one_robot(sites, loop):
    async def visit(robot, number):
        origin = sites[number % 3].origin
        with pytest.raises(Disallowed):
            await robot.get(f"{origin}/private/{number}")
        assert (await robot.get(f"{origin}/{number}")).status_code == 200

    async def crawl():
        async with AsyncRobot(**WHO, delay=0.05) as robot, anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(visit, robot, number)

    anyio.run(crawl, backend=loop)
    for place, site in enumerate(sites):
        polite(site, 0.05, [f"/{number}" for number in range(50) if number % 3 == place])


@pytest.mark.parametrize("robots", [1, 4])
def test_four_threads_of_one_robot_or_of_four(sites, robots):
    def crawl(robot, name):
        for number in range(4):
            for site in sites:
                with pytest.raises(Disallowed):
                    robot.get(f"{site.origin}/private/{name}")
                assert robot.get(f"{site.origin}/{name}/{number}").status_code == 200

    kept = MemoryStore()
    with ExitStack() as stack:
        made = [stack.enter_context(Robot(**WHO, delay=0.05, store=kept)) for _ in range(robots)]
        together(*(partial(crawl, made[name % robots], name) for name in range(4)))
    for site in sites:
        polite(site, 0.05, [f"/{name}/{number}" for name in range(4) for number in range(4)])


def place_of(home, request):
    if home == "Redis":
        url = request.getfixturevalue("redis_url")
        redis = pytest.importorskip("redis")
        with redis.Redis.from_url(url) as client:
            client.flushall()
        return url
    return str(request.getfixturevalue("tmp_path") / "store")


@contextmanager
def crawlers(names, home, place, sites, pages, lease=300.0):
    """Start processes that share a home, and give them when all are ready."""
    with ExitStack() as stack:
        running = []
        for name in names:
            words = [home, place, 0.05, lease, name, pages, *(site.origin for site in sites)]
            command = [*CRAWLER, *map(str, words)]
            process = forked_python.Popen(
                command, stdin=forked_python.PIPE, stdout=forked_python.PIPE, encoding="utf-8"
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            running.append(process)
        for process in running:
            assert process.stdout.readline() == "ready\n"
        yield running


def go(*processes):
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def told(processes):
    """Wait for processes to end, and count their output."""
    said = Counter()
    for process in processes:
        said.update(line.split()[0] for line in process.stdout)
        assert process.wait() == 0
    return said


@pytest.mark.parametrize("home", ["SQLite", "Redis"])
def test_four_processes(sites, home, request):
    with crawlers(range(4), home, place_of(home, request), sites, pages=4) as running:
        go(*running)

        assert told(running) == {"begun": 48, "200": 48, "disallowed": 12}
    for site in sites:
        polite(site, 0.05, [f"/{name}/{number}" for name in range(4) for number in range(4)])


@pytest.mark.parametrize("home", ["SQLite", "Redis"])
def test_process_killed_with_a_lease(sites, home, request):
    """The others continue when they find that it has ended; robots.txt is not requested again."""
    lease = 300.0 if sys.platform == "linux" else 1.0
    held = threading.Event()

    def holds(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nand then")
        assert connection.recv(1) == b""  # it was killed
        held.set()

    sites[0].routes["/unlucky/0"] = holds
    place = place_of(home, request)
    with (
        crawlers(["unlucky"], home, place, sites[:1], pages=1, lease=lease) as (unlucky,),
        crawlers(range(3), home, place, sites, pages=2) as running,
    ):
        go(unlucky)
        assert unlucky.stdout.readline() == f"begun {sites[0].origin} /unlucky/0\n"
        go(*running)
        for process in running:
            assert process.stdout.readline().startswith("begun")  # without a lease
        killed = time.time()
        unlucky.kill()
        assert told(running) == {"begun": 15, "200": 18, "disallowed": 9}  # and the lines above
    assert held.wait()

    pages = [f"/{name}/{number}" for name in range(3) for number in range(2)]
    polite(sites[0], 0.05, ["/unlucky/0", *pages])
    robots, _, after, *_ = sorted(sites[0].visits)
    assert after.began - killed >= 0.05
    if sys.platform != "linux":
        assert after.began - robots.ended >= 0.05 + lease + 0.05
    for site in sites[1:]:
        polite(site, 0.05, pages)


def test_robots_txt_is_not_requested_while_an_answer_is_saved(sites):
    """However long that takes: other requests find the origin busy, and then the answer."""
    saving, asked = threading.Event(), threading.Event()

    class Store(MemoryStore):
        def acquire(self, *arguments):
            answer = super().acquire(*arguments)
            if saving.is_set() and isinstance(answer, Wait):
                asked.set()
            return answer

        def save(self, access):
            if saving.is_set():  # a second answer, which there should not be
                asked.set()
            saving.set()
            assert asked.wait()
            super().save(access)

    def second(robot):
        assert saving.wait()
        robot.get(f"{sites[0].origin}/second")

    kept, url = Store(), f"{sites[0].origin}/first"
    with Robot(**WHO, delay=0.0, store=kept) as one, Robot(**WHO, delay=0.0, store=kept) as other:
        together(partial(one.get, url), partial(second, other))
    polite(sites[0], 0.0, ["/first", "/second"])


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_cancelled_task_releases_lease(sites, loop):
    """Whether it waits for one, has just been lent one, or has asked for robots.txt."""
    scopes = []

    class Store(AsyncMemoryStore):
        async def acquire(self, *arguments):
            answer = await super().acquire(*arguments)
            await interrupted("begin")
            return answer

        async def load(self, origin):
            await interrupted("load")
            return await super().load(origin)

        async def save(self, access):
            await super().save(access)
            await interrupted("save")

    async def interrupted(place):
        if scopes and scopes[-1][0] == place:
            scopes.pop()[1].cancel()
        await anyio.lowlevel.checkpoint()

    async def crawl(origin):
        async with AsyncRobot(**WHO, delay=0.0, store=Store(), max_wait=10) as robot:
            for place in ("load", "begin", "save", "begin"):
                with anyio.CancelScope() as scope:
                    scopes.append((place, scope))
                    await robot.get(f"{origin}/page")
                assert scope.cancelled_caught
            assert (await robot.get(f"{origin}/page")).status_code == 200

    anyio.run(crawl, sites[0].origin, backend=loop)
    assert sites[0].paths() == ["/robots.txt", "/page"]


@pytest.mark.parametrize("loop", [None, "asyncio", "trio"])
def test_origins_are_independent(sites, loop):
    """One page does not arrive before all pages of other sites."""
    elsewhere, pages = threading.Semaphore(0), [f"/{number}" for number in range(3)]

    def waits(connection):
        for _ in range(2 * len(pages)):
            assert elsewhere.acquire()
        connection.sendall(answer())

    def counts(connection):
        connection.sendall(answer())
        elsewhere.release()

    sites[0].routes["/0"] = waits
    for site in sites[1:]:
        site.routes["*"] = counts

    def visit(robot, site):
        for page in pages:
            assert robot.get(f"{site.origin}{page}").status_code == 200

    with ExitStack() as stack:
        robot = stack.enter_context(opened(loop, delay=0.01))
        together(*(partial(visit, robot, site) for site in sites))
    for site in sites:
        assert site.paths()[0] == "/robots.txt"
        assert Counter(site.paths()) == Counter(["/robots.txt", *pages])


@contextmanager
def opened(loop, **options):
    """Yield a sync or async robot with a sync interface, and close it."""
    with ExitStack() as stack:
        if loop is None:
            yield stack.enter_context(Robot(**WHO, **options))
        else:
            portal = stack.enter_context(start_blocking_portal(loop))
            robot = BlockingStore(portal, portal.call(partial(AsyncRobot, **WHO, **options)))
            stack.callback(robot.close)
            yield robot


# Hours, by a clock of our own -----------------------------------------------------------------------


class Hours:
    """A clock that advances only during sleeps."""

    def __init__(self):
        self.now = at("12:00")

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class AsyncHours:
    def __init__(self, hours):
        self._hours = hours

    def time(self):
        return self._hours.now

    async def sleep(self, seconds):
        self._hours.sleep(seconds)


def at(time_of_day, day=1):
    hour, minute = time_of_day.split(":")
    return datetime(2026, 3, day, int(hour), int(minute), tzinfo=UTC).timestamp()


class World:
    """A site, the time, and robots that share a store, in one flavour."""

    def __init__(self, stack, loop):
        self.hours = Hours()
        self._stack, self._loop = stack, loop
        self.store = MemoryStore() if loop is None else AsyncMemoryStore()

    def site(self, *lines):
        body = ROBOTS + "\n".join(lines).encode()
        routes = {"/robots.txt": answer(body=body), "*": answer(body=b"page")}
        return self._stack.enter_context(Server(routes, clock=self.hours.time))

    def robot(self, **options):
        clock = self.hours if self._loop is None else AsyncHours(self.hours)
        return self._stack.enter_context(opened(self._loop, store=self.store, clock=clock, **options))


@pytest.fixture(params=[None, "asyncio"], ids=["sync", "async"])
def world(request):
    with ExitStack() as stack:
        yield World(stack, request.param)


def seen(site):
    """Return the time of each request, in seconds since the first, and its path."""
    return [(round(visit.began - site.visits[0].began, 3), visit.path) for visit in site.visits]


def test_crawl_delay_of_five_minutes(world):
    site = world.site("Crawl-delay: 300")
    robots = [world.robot(), world.robot()]
    for number in range(4):
        robots[number % 2].get(f"{site.origin}/{number}")

    assert seen(site) == [(0, "/robots.txt"), (300, "/0"), (600, "/1"), (900, "/2"), (1200, "/3")]


def test_crawl_delay_longer_than_max_wait(world):
    site = world.site("Crawl-delay: 300")
    robot = world.robot(max_wait=299)
    with pytest.raises(MustWait) as raised:
        robot.get(f"{site.origin}/")

    assert raised.value.seconds == pytest.approx(300)
    assert site.paths() == ["/robots.txt"]


def test_request_waits_for_visit_time(world):
    """The window closes between two pages, and opens the next day, when the rules are asked for anew."""
    site = world.site("Visit-time: 1330-1445")
    robot = world.robot(max_wait=2 * DAY, delay=HOUR)
    for number in range(3):
        robot.get(f"{site.origin}/{number}")
    times = [
        (datetime.fromtimestamp(visit.began, UTC).strftime("%d %H:%M"), visit.path) for visit in site.visits
    ]

    assert times == [
        ("01 12:00", "/robots.txt"),
        ("01 13:30", "/0"),
        ("01 14:30", "/1"),
        ("02 13:30", "/robots.txt"),
        ("02 14:30", "/2"),
    ]


def test_visit_time_longer_than_max_wait_raises(world):
    site = world.site("Visit-time: 1330-1445")
    robot = world.robot()
    with pytest.raises(MustWait, match="Visit-time"):
        robot.get(f"{site.origin}/")

    assert site.paths() == ["/robots.txt"]


def test_robots_txt_is_requested_once_a_day(world):
    site = world.site()
    robots = [world.robot() for _ in range(3)]
    for number in range(105):
        robots[number % 3].get(f"{site.origin}/{number}")
        world.hours.sleep(HOUR - 1)
    asked = [began for began, path in seen(site) if path == "/robots.txt"]

    assert len(asked) == 5
    assert all(DAY <= later - earlier < DAY + HOUR + 1 for earlier, later in pairwise(asked))
    assert site.paths().count("/104") == 1


@pytest.mark.parametrize("broken", [answer(503), b""], ids=["503", "silence"])
def test_last_rules_apply_while_site_is_unreachable(world, broken):
    """It gets few requests, and none for a disallowed URL."""
    site = world.site()
    robots = [world.robot(max_wait=DAY), world.robot(max_wait=DAY)]
    robots[0].get(f"{site.origin}/first")
    site.routes["/robots.txt"] = broken
    world.hours.sleep(DAY)
    for number in range(200):
        robot = robots[number % 2]
        robot.get(f"{site.origin}/{number}")
        with pytest.raises(Disallowed):
            robot.get(f"{site.origin}/private")
        world.hours.sleep(120)
    asked = [began for began, path in seen(site) if path == "/robots.txt"]

    assert "/private" not in site.paths()
    assert site.paths().count("/199") == 1
    assert len(asked) < 30
    assert all(later - earlier >= 60 for earlier, later in pairwise(asked))
    assert robots[0].access(site.origin).outcome is Outcome.RULES


def test_delay_longer_than_lifetime_of_rules(world):
    """One that is unreachable is asked again in a minute; pages come through nevertheless."""
    site = world.site("Crawl-delay: 300")
    robot = world.robot(max_wait=DAY)
    robot.get(f"{site.origin}/first")
    site.routes["/robots.txt"] = answer(500)
    world.hours.sleep(DAY)
    robot.get(f"{site.origin}/second")

    assert site.paths()[:2] == ["/robots.txt", "/first"]
    assert Counter(site.paths()[2:]) == {"/robots.txt": 2, "/second": 1}
    visits = site.visits
    assert all(later.began - earlier.ended >= 300 - 1e-6 for earlier, later in pairwise(visits))


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_of_an_hour(world, status):
    site = world.site()
    site.routes["/busy"] = answer(status, headers={"retry-after": "3600"})
    robots = [world.robot(), world.robot(max_wait=2 * HOUR)]
    robots[0].get(f"{site.origin}/busy")
    for robot in (robots[0], world.robot()):
        with pytest.raises(MustWait) as raised:
            robot.get(f"{site.origin}/page")
        assert raised.value.seconds == pytest.approx(HOUR)
    robots[1].get(f"{site.origin}/page")

    assert seen(site) == [(0, "/robots.txt"), (1, "/busy"), (3601, "/page")]


def test_retry_after_of_robots_txt(world):
    site = world.site()
    site.routes["/robots.txt"] = answer(429, headers={"retry-after": "3600"})
    for robot in (world.robot(), world.robot()):
        with pytest.raises(Disallowed):
            robot.get(f"{site.origin}/page")
    world.hours.sleep(HOUR)
    site.routes["/robots.txt"] = answer(body=ROBOTS)
    world.robot().get(f"{site.origin}/page")

    assert seen(site) == [(0, "/robots.txt"), (3600, "/robots.txt"), (3601, "/page")]


# robots.txt that are elsewhere ----------------------------------------------------------------------


def test_redirected_robots_txt_observes_delay(world):
    site = world.site()
    site.routes["/robots.txt"] = redirect("/one")
    site.routes["/one"] = redirect("/two", 302)
    site.routes["/two"] = answer(body=ROBOTS)
    robot = world.robot(delay=20.0)
    robot.get(f"{site.origin}/page")

    assert seen(site) == [(0, "/robots.txt"), (20, "/one"), (40, "/two"), (60, "/page")]


def test_redirected_robots_txt_observes_retry_after(world):
    site = world.site()
    site.routes["/robots.txt"] = answer(302, headers={"location": "/one", "retry-after": "100"})
    site.routes["/one"] = answer(body=ROBOTS)
    with pytest.raises(MustWait):
        world.robot(max_wait=99).get(f"{site.origin}/page")
    world.hours.sleep(100)
    world.robot(max_wait=200).get(f"{site.origin}/page")

    assert seen(site) == [(0, "/robots.txt"), (100, "/robots.txt"), (200, "/one"), (201, "/page")]


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("robots", [1, 4])
def test_origins_with_shared_robots_txt_request_it_once(sites, robots, status):
    """For all callers, in any order, and all at once."""
    *others, shared = sorted(sites, key=lambda site: site.origin)
    shared.routes["/robots.txt"] = answer(status, body=ROBOTS)
    for site in others:
        site.routes["/robots.txt"] = redirect(f"{shared.origin}/robots.txt")
    kept = MemoryStore()
    with ExitStack() as stack:
        made = [stack.enter_context(Robot(**WHO, delay=0.05, store=kept)) for _ in range(robots)]
        together(
            *(
                partial(made[name % robots].get, f"{site.origin}/{name}")
                for name in range(4)
                for site in sites
            )
        )
    for site in sites:
        polite(site, 0.05, [f"/{name}" for name in range(4)])


def test_mutual_redirects_do_not_deadlock(sites):
    one, two, _ = sites
    one.routes["/robots.txt"] = redirect(f"{two.origin}/robots.txt")
    two.routes["/robots.txt"] = redirect(f"{one.origin}/robots.txt")
    kept = MemoryStore()
    with ExitStack() as stack:
        made = [stack.enter_context(Robot(**WHO, delay=0.05, store=kept)) for _ in range(2)]
        together(*(partial(made[place].get, f"{sites[place].origin}/page") for place in range(2)))

    for site in (one, two):
        visits = sorted(site.visits)
        assert all(later.began - earlier.ended >= 0.05 for earlier, later in pairwise(visits))
        assert site.paths().count("/page") == 1


# Responses that take their time ---------------------------------------------------------------------


def test_lease_is_renewed_during_long_response():
    with ExitStack() as stack:
        world = World(stack, None)
        site = world.site()
        site.routes["/long"] = site.drips(b"x", 0.001)
        robot, other = world.robot(), world.robot(max_wait=50)
        with robot.stream("GET", f"{site.origin}/long") as response:
            chunks = response.iter_raw()
            for _ in range(10):
                next(chunks)
                with pytest.raises(MustWait, match="under way"):
                    other.get(f"{site.origin}/page")
                world.hours.sleep(200)
            assert site.paths() == ["/robots.txt"]
        ended = world.hours.now
        other.get(f"{site.origin}/page")

        # The server may log the long visit later, because it notices the disconnection late.
        assert [visit.began for visit in site.visits if visit.path == "/page"] == [ended + 1]


def test_lease_is_renewed_during_long_async_response():
    async def read(world, site):
        clock, kept = AsyncHours(world.hours), AsyncMemoryStore()
        async with (
            AsyncRobot(**WHO, clock=clock, store=kept) as robot,
            AsyncRobot(**WHO, clock=clock, store=kept, max_wait=50) as other,
            robot.stream("GET", f"{site.origin}/long") as response,
        ):
            chunks = response.aiter_raw()
            for _ in range(10):
                await anext(chunks)
                with pytest.raises(MustWait, match="under way"):
                    await other.get(f"{site.origin}/page")
                world.hours.sleep(200)

    with ExitStack() as stack:
        world = World(stack, None)
        site = world.site()
        site.routes["/long"] = site.drips(b"x", 0.001)
        anyio.run(read, world, site)
        assert "/page" not in site.paths()


def test_stalled_response_loses_lease():
    """A forgotten response does not block others; its end is respected."""
    with ExitStack() as stack:
        world = World(stack, None)
        site = world.site()
        site.routes["/long"] = site.drips(b"x", 0.001)
        robot, other = world.robot(), world.robot(max_wait=50)
        with robot.stream("GET", f"{site.origin}/long") as response:
            chunks = response.iter_raw()
            next(chunks)
            world.hours.sleep(300)
            other.get(f"{site.origin}/page")
            next(chunks)
        with pytest.raises(MustWait):
            world.robot(max_wait=0.5).get(f"{site.origin}/page")


def test_unavailable_store_does_not_lose_response(monkeypatch, caplog):
    def renew(*_):
        raise StoreUnavailable("away")

    with ExitStack() as stack:
        world = World(stack, None)
        site = world.site()
        site.routes["/long"] = site.drips(b"x", 0.001)
        with world.robot().stream("GET", f"{site.origin}/long") as response:
            chunks = response.iter_raw()
            next(chunks)
            world.hours.sleep(200)
            monkeypatch.setattr(world.store, "renew", renew)
            next(chunks)

    assert "the lease is not renewed: away" in caplog.text
