"""`queue="address"`: the hosts of one IP address share a queue, by the logs of loopback servers on one clock."""

import socket
from contextlib import contextmanager

import pytest
from http_server import HOSTS, Server, answer, redirect
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.politeness._sync import queues
from comity.testing import FakeClock, FakeSite

PAGE = answer(body=b"page")

SITES = {"http://a.example/": "tea", "http://b.example/": "tea"}


@contextmanager
def opened(flavour="sync", **options):
    """Yield a robot with a queue for each address, and a server on the same clock."""
    clock = FakeClock()
    with (
        Server({"*": PAGE}, clock=clock.time) as server,
        open_robot(flavour, clock=clock, delay=2.0, queue="address", **options) as robot,
    ):
        yield robot, server, f"http://localhost:{server.port}"


def gaps(server):
    visits = sorted(server.visits)
    return [round(visits[n + 1].began - visits[n].ended, 6) for n in range(len(visits) - 1)]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_names_of_an_address_share_its_queue(flavour):
    with opened(flavour) as (robot, server, other):
        for path in "ab":
            robot.get(f"{server.origin}/{path}")
            assert robot.host_wait(other) == robot.host_wait("localhost") == 2.0
            robot.get(f"{other}/{path}")

        assert gaps(server) == [2.0] * 5
        assert robot.visits("localhost") == robot.visits("127.1") == 6
        assert "one queue for each: address" in robot.robot.describe()


def test_names_of_an_address_share_its_pauses():
    with opened() as (robot, server, other):
        server.routes["/robots.txt"] = PAGE
        server.routes["*"] = answer(503, headers={"retry-after": "60"})
        robot.get(server.origin)
        assert robot.host_wait(other) == 60.0


def test_open_response_of_another_name_is_under_way():
    with opened() as (robot, server, other):
        robot.allowed(other)
        with robot.stream("GET", f"{server.origin}/"):
            robot.robot.max_wait = 0
            with pytest.raises(comity.MustWait):
                robot.get(other)


@pytest.mark.skipif("localhost" in HOSTS, reason="macOS has one loopback address")
def test_another_address_has_another_queue():
    with opened() as (robot, server, other), Server({"*": PAGE}, host=HOSTS[1]) as second:
        robot.allowed(server.origin)
        robot.allowed(second.origin)
        assert robot.clock.now == server.visits[0].began
        assert robot.visits(second.origin) == robot.visits(other) == 1


@pytest.mark.parametrize("flavour", ["sync", "asyncio"])
def test_redirect_to_another_name_uses_the_same_lease(flavour):
    with opened(flavour) as (robot, server, other):
        server.routes["/robots.txt"] = redirect(f"{other}/robots.txt", 302)
        robot.robot.max_wait = 60.0
        assert robot.allowed(f"{server.origin}/")
        assert set(gaps(server)) == {2.0}
        assert robot.visits(other) == 1


def test_log_has_the_gap_after_requests_to_another_name():
    lines = []
    with opened(log=lines.append) as (robot, server, other):
        robot.get(f"{server.origin}/")
        robot.get(f"{other}/")

    assert [line["gap"]["waited"] for line in lines if line["gap"]] == [None, 2.0, 2.0, 2.0]


# The addresses of names ------------------------------------------------------------------------------


class Resolver:
    """Answers lookups from a table, and counts them."""

    def __init__(self, table):
        self.table = table
        self.lookups = []

    def __call__(self, host, port):
        self.lookups.append(host)
        if not self.table.get(host):
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(2, 1, 6, "", (address, 0)) for address in self.table[host]]


@pytest.fixture
def resolver(monkeypatch):
    resolver = Resolver({})
    monkeypatch.setattr(queues, "resolve", resolver)
    return resolver


@pytest.mark.parametrize(
    ("addresses", "key"),
    [
        (["192.0.2.9", "192.0.2.10"], "192.0.2.9"),
        (["192.0.2.10", "192.0.2.9"], "192.0.2.9"),
        (["2001:db8::1", "192.0.2.9"], "192.0.2.9"),
        (["2001:db8:0::2", "2001:db8::1"], "[2001:db8::1]"),
        (["::ffff:192.0.2.9"], "192.0.2.9"),
        (["fe80::1%eth0"], "[fe80::1%eth0]"),
        ([], "example.com"),
    ],
)
def test_smallest_address_names_the_queue(resolver, addresses, key):
    resolver.table["example.com"] = addresses
    table = queues.HostQueues(by_address=True)
    state = table.state("https://example.com")
    assert table.queue_of(state).host == key
    assert table.known_key("http://example.com:8080/") == key
    assert table.state("http://example.com").queue is state.queue


@pytest.mark.parametrize("literal", ["192.0.2.9", "[2001:db8::1]", "[v1.a]"])
def test_addresses_in_urls_are_not_resolved(resolver, literal):
    table = queues.HostQueues(by_address=True)
    assert table.key(f"http://{literal}/") == table.known_key(f"http://{literal}/") == literal
    assert resolver.lookups == [] if literal != "[v1.a]" else ["[v1.a]"]


def test_address_is_kept_for_ten_minutes_and_longer_if_the_lookup_fails(resolver):
    clock = FakeClock()
    resolver.table["example.com"] = ["192.0.2.9"]
    table = queues.HostQueues(by_address=True, monotonic=clock.time)
    state = table.state("https://example.com")
    keys = []
    for seconds, addresses in (
        (0, ["192.0.2.9"]),
        (599, ["192.0.2.1"]),
        (1, []),
        (59, []),
        (1, ["192.0.2.1"]),
    ):
        clock.now += seconds
        resolver.table["example.com"] = addresses
        keys.append(table.queue_of(state).host)
    assert keys == ["192.0.2.9"] * 4 + ["192.0.2.1"]
    assert len(resolver.lookups) == 3


def test_request_ends_in_the_queue_that_it_entered(resolver):
    resolver.table["localhost"] = ["127.0.0.1"]
    with opened() as (robot, server, other):
        with robot.stream("GET", f"{other}/") as response:
            resolver.table["localhost"] = ["192.0.2.2"]
            robot.clock.now += 600
            assert robot.host_wait(other) == 0.0  # of the new address
            assert robot.host_wait(server.origin) == 2.0
            response.read()
        robot.get(f"{server.origin}/")
        assert robot.visits(server.origin) == 4


def test_names_of_a_site_in_memory_have_queues_of_their_own(resolver):
    clock = FakeClock()
    with open_robot("sync", clock=clock, transport=FakeSite(SITES, clock=clock), queue="address") as robot:
        robot.get("http://a.example/")
        robot.get("http://b.example/")
        assert robot.visits("a.example") == 2


def test_label_that_resolvers_reject_is_an_error_of_the_connection():
    with open_robot("sync", queue="address", max_wait=0) as robot:
        assert robot.access(f"http://{'a' * 70}.example/").cause.code == "dns"
