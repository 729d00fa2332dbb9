"""The space between requests to one host, by the logs of loopback servers on one clock."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from http_server import Server, answer, redirect
from robot_flavours import open_robot

import comity
from comity.stores import MemoryStore
from comity.testing import FakeClock, FakeSite

PAGE = answer(body=b"page")


@contextmanager
def servers(*routes):
    """Yield a server for each table of routes; all of them read one fake clock."""
    clock = FakeClock()
    with ExitStack() as stack:
        yield clock, *(stack.enter_context(Server(table, clock=clock.time)) for table in routes)


def gaps(*logs):
    """Return the seconds from each request to the next one, whichever server received it."""
    visits = sorted(visit for server in logs for visit in server.visits)
    return [round(later.began - earlier.ended, 6) for earlier, later in itertools.pairwise(visits)]


def test_ports_of_a_host_share_one_gap():
    with (
        servers({"*": PAGE}, {"*": PAGE}) as (clock, one, two),
        open_robot("sync", clock=clock, delay=2.0) as robot,
    ):
        for path in "ab":
            for server in (one, two):
                robot.get(f"{server.origin}/{path}")

        assert gaps(one, two) == [2.0] * 5
        assert robot.visits(one.origin) == robot.visits("127.0.0.1") == 6


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
@pytest.mark.parametrize("crawl_delay", [4, None])
def test_robots_txt_of_another_port_observes_the_known_crawl_delay(flavour, crawl_delay):
    """The rules of the other port are not known yet, and its host has asked for a gap."""
    lines = f"Crawl-delay: {crawl_delay}\n" if crawl_delay else ""
    slow = answer(body=b"User-agent: *\nCrawl-delay: 9\n")
    other = answer(body=f"User-agent: *\n{lines}".encode())
    with (
        servers({"*": PAGE, "/robots.txt": other}, {"*": PAGE, "/robots.txt": slow}, {"*": PAGE}) as (
            clock,
            *all_,
        ),
        open_robot(flavour, clock=clock, delay=2.0) as robot,
    ):
        own = crawl_delay or 2.0
        for server in all_:
            robot.get(f"{server.origin}/a")

        assert gaps(*all_) == [own, own, 9.0, 9.0, 2.0]


def test_spellings_of_a_host_share_one_gap():
    with servers({"*": PAGE}) as (clock, server), open_robot("sync", clock=clock, delay=2.0) as robot:
        for host in ("127.0.0.1", "127.1", "0x7f000001", "2130706433"):
            robot.get(f"http://{host}:{server.port}/{host}")

        assert server.paths()[0] == "/robots.txt"
        assert gaps(server) == [2.0] * 4


def test_ipv4_address_in_an_ipv6_address_shares_the_gap():
    clock = FakeClock()
    hosts = "192.0.2.1", "[::ffff:192.0.2.1]", "[::FFFF:c000:201]"
    site = FakeSite({f"http://{host}/": "tea" for host in hosts}, clock=clock)
    with open_robot("sync", clock=clock, delay=2.0, transport=site) as robot:
        for url in site.pages:
            robot.get(url)

    times = [request.time for request in site.requests]
    assert [later - earlier for earlier, later in itertools.pairwise(times)] == [2.0] * (len(times) - 1)


@pytest.mark.parametrize("queue", ["host", "address"])
def test_name_with_a_dot_at_the_end_shares_the_gap(queue):
    clock = FakeClock()
    site = FakeSite({f"http://a.invalid{dot}/": "tea" for dot in ("", ".")}, clock=clock)
    with open_robot("sync", clock=clock, delay=2.0, transport=site, queue=queue) as robot:
        for url in site.pages:
            robot.get(url)
        robot.get("http://A.INVALID.:80/")

    times = [request.time for request in site.requests]
    assert [later - earlier for earlier, later in itertools.pairwise(times)] == [2.0] * 4


def test_names_of_an_address_are_different_hosts():
    with servers({"*": PAGE}) as (clock, server), open_robot("sync", clock=clock, delay=2.0) as robot:
        robot.get(f"http://127.0.0.1:{server.port}/")
        robot.get(f"http://localhost:{server.port}/")

        assert gaps(server) == [2.0, 0.0, 2.0]


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_redirect_to_another_port_uses_the_lease_of_the_host(flavour):
    rules = answer(body=b"User-agent: *\nDisallow: /private")
    with servers({"*": PAGE}, {"/robots.txt": rules, "*": PAGE}) as (clock, one, two):
        one.routes["/robots.txt"] = redirect(f"{two.origin}/robots.txt")
        with open_robot(flavour, clock=clock, delay=2.0) as robot:
            assert not robot.allowed(f"{one.origin}/private")
            assert not robot.allowed(f"{two.origin}/private")  # read once, for both
            assert robot.visits("127.0.0.1") == 1

        assert gaps(one, two) == [2.0]


def test_robots_of_one_store_share_the_gap_of_a_host():
    store = MemoryStore()
    with servers({"*": PAGE}, {"*": PAGE}) as (clock, one, two):
        for server in (one, two):
            with open_robot("sync", clock=clock, delay=2.0, store=store) as robot:
                robot.get(f"{server.origin}/")

        assert gaps(one, two) == [2.0] * 3


def test_open_response_of_another_port_is_under_way():
    with servers({"*": PAGE}, {"*": PAGE}) as (clock, one, two), open_robot("sync", clock=clock) as robot:
        robot.robot.max_wait = 0
        with robot.stream("GET", f"{one.origin}/"), pytest.raises(comity.MustWait) as caught:
            robot.get(f"{two.origin}/")
        robot.get(f"{two.origin}/")

    assert "response" in caught.value.reason


def test_open_response_of_another_thread_is_named():
    with servers({"*": PAGE}) as (clock, server), open_robot("sync", clock=clock) as robot:
        robot.allowed(server.origin)
        robot.robot.max_wait = 0.01
        with (
            robot.stream("GET", f"{server.origin}/"),
            ThreadPoolExecutor(1) as pool,
            pytest.raises(comity.MustWait, match="a response of the host is still open"),
        ):
            pool.submit(robot.get, f"{server.origin}/").result()


def test_pause_of_one_port_holds_for_the_others():
    busy = answer(503, headers={"retry-after": "60"})
    with (
        servers({"/robots.txt": PAGE, "*": busy}, {"*": PAGE}) as (clock, one, two),
        open_robot("sync", clock=clock) as robot,
    ):
        robot.get(f"{one.origin}/")
        assert robot.host_wait(two.origin) == 60.0
        robot.get(f"{two.origin}/")

        assert gaps(one, two) == [0.0, 60.0, 0.0]


# Redirects of robots.txt -----------------------------------------------------------------------------

SLOW = b"User-agent: *\nCrawl-delay: 30\n"
HOURS = b"User-agent: *\nVisit-time: 0900-1000\n"


def files(body, max_age):
    return {"/robots.txt": answer(body=body, headers={"cache-control": f"max-age={max_age}"}), "*": PAGE}


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_delay_of_the_file_that_a_redirect_leads_to(flavour):
    """`a` has the rules of `b`, so requests to both keep its delay, robots.txt included."""
    store = MemoryStore() if flavour == "sync" else comity.stores.AsyncMemoryStore()
    with servers({"*": PAGE}, files(SLOW, 600)) as (clock, a, b):
        origin = f"http://localhost:{b.port}"
        a.routes["/robots.txt"] = redirect(f"{origin}/robots.txt")
        with open_robot(flavour, clock=clock, delay=1.0, store=store) as robot:
            for path in "ab":
                robot.get(f"{a.origin}/{path}")
                robot.get(f"{origin}/{path}")
            clock.now = b.visits[0].ended + 599.0
            robot.get(f"{origin}/c")
        clock.now += 2.0  # the rules expire
        with open_robot(flavour, clock=clock, delay=1.0, store=store) as robot:
            robot.get(f"{a.origin}/c")

        assert b.paths() == ["/robots.txt", "/a", "/b", "/c", "/robots.txt"]
        assert min(gaps(b)) >= 30.0
        assert min(gaps(a)[1:]) >= 30.0


@pytest.mark.parametrize("path", ["/robots.txt", "/other.txt"])
def test_hours_of_the_host_that_a_redirect_leads_to(path):
    with servers({"*": PAGE}, files(HOURS, 86_400) | {"/other.txt": answer(body=SLOW)}) as (clock, a, b):
        origin = f"http://localhost:{b.port}"
        a.routes["/robots.txt"] = redirect(f"{origin}{path}")
        with open_robot("sync", clock=clock, max_wait=None) as robot:
            robot.allowed(f"{origin}/")
            clock.now += 86_400 * 2
            robot.allowed(f"{a.origin}/")

        first, second = b.visits
        assert first.path == "/robots.txt"
        assert second.path == path
        assert 9 * 3600 <= second.began % 86_400 < 10 * 3600


# Slow and failing servers ----------------------------------------------------------------------------


def slowly(clock, *seconds, parts=2):
    """Return a route whose responses take these seconds; the last one repeats."""
    times = list(seconds)

    def route():
        time = times.pop(0) if len(times) > 1 else times[0]
        yield f"HTTP/1.1 200 OK\r\ncontent-length: {parts}\r\nconnection: close\r\n\r\n".encode()
        for _ in range(parts):
            clock.now += time / parts
            yield b"x"

    return route


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_gap_follows_the_response_time(flavour):
    with servers({"/robots.txt": PAGE}) as (clock, server):
        server.routes["*"] = slowly(clock, 1.0, 4.0, 0.0)
        lines = []
        with open_robot(flavour, clock=clock, delay=2.0, slow_down=5.0, log=lines.append) as robot:
            for number in range(6):
                robot.get(f"{server.origin}/{number}")

        assert gaps(server) == [2.0, 5.0, 20.0, 10.0, 5.0, 2.5]
        logged = [(line["gap"]["required"], line["gap"]["source"]) for line in lines[1:]]
        assert logged == [(2.0, "gap"), *((gap, "slow-down") for gap in gaps(server)[1:])]


@pytest.mark.parametrize("slow_down", [None, 0])
def test_gap_does_not_follow_the_response_time_by_default(slow_down):
    with servers({"/robots.txt": PAGE}) as (clock, server):
        server.routes["*"] = slowly(clock, 9.0)
        with open_robot("sync", clock=clock, delay=2.0, slow_down=slow_down) as robot:
            for number in range(3):
                robot.get(f"{server.origin}/{number}")

        assert gaps(server) == [2.0] * 3


def test_gap_of_a_slow_server_is_at_most_a_minute():
    with servers({"/robots.txt": PAGE}) as (clock, server):
        server.routes["*"] = slowly(clock, 100.0)
        with open_robot("sync", clock=clock, slow_down=5.0) as robot:
            for number in range(2):
                robot.get(f"{server.origin}/{number}")
            assert robot.host_wait(server.origin) == 60.0

        assert gaps(server) == [0.0, 60.0]


def test_robots_of_one_store_share_the_response_time(tmp_path):
    path = tmp_path / "store.sqlite3"
    with servers({"/robots.txt": PAGE}) as (clock, server):
        server.routes["*"] = slowly(clock, 4.0)
        for slow_down in (5.0, 3.0, None):
            with (
                comity.stores.SQLiteStore(path) as store,
                open_robot("sync", clock=clock, slow_down=slow_down, store=store) as robot,
            ):
                robot.get(f"{server.origin}/{slow_down}")

        assert gaps(server) == [0.0, 12.0, 0.0]


def test_time_of_the_caller_is_not_response_time():
    with servers({"/robots.txt": PAGE}) as (clock, server):
        server.routes["*"] = PAGE
        with open_robot("sync", clock=clock, slow_down=5.0) as robot:
            with robot.stream("GET", f"{server.origin}/") as response:
                for _ in response.iter_raw():
                    clock.now += 50.0
            assert robot.host_wait(server.origin) == 0.0


@pytest.mark.parametrize("status", [500, 502, 504, 520, 524, 530])
def test_back_off_after_server_errors(status):
    with servers({"/robots.txt": PAGE, "/page": PAGE, "*": answer(status)}) as (clock, server):
        with open_robot("sync", clock=clock, delay=1.0) as robot:
            for path in ("1", "2", "3", "page", "4", "page"):
                robot.get(f"{server.origin}/{path}")

        assert gaps(server) == [1.0, 5.0, 10.0, 20.0, 1.0, 5.0]


@pytest.mark.parametrize("value", ["0", "1", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_back_off_after_repeated_429_with_short_retry_after(value):
    busy = answer(429, headers={"retry-after": value})
    with servers({"/robots.txt": PAGE, "/page": PAGE, "*": busy}) as (clock, server):
        with open_robot("sync", clock=clock, delay=1.0) as robot:
            for path in ("1", "2", "3", "page", "4", "page"):
                robot.get(f"{server.origin}/{path}")

        assert gaps(server) == [1.0, 1.0, 60.0, 120.0, 1.0, 1.0]
