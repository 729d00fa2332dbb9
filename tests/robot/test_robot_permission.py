"""`permission` governs a request of any other client as the robot governs its own."""

import http.client
import pickle
import signal
import threading
import urllib.error
import urllib.request
from functools import partial
from itertools import combinations

import anyio
import httpx2
import pytest
from http_server import Server, answer, unused_port
from platforms import posix_only
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.politeness.concurrency import _async, _sync
from comity.stores import MemoryStore
from comity.testing import FakeClock, FakeSite

RULES = b"User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n\n"

flavours = pytest.mark.parametrize("flavour", FLAVOURS)

#: A client of the standard library that obeys nothing by itself, and no proxy of the environment.
urlopen = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


@pytest.fixture
def site():
    with Server({"/robots.txt": answer(body=RULES), "/tea": answer(body=b"tea")}) as server:
        yield server


def fetch(permit):
    return urlopen(urllib.request.Request(permit.url, headers=permit.headers))


@flavours
def test_request_of_urllib(site, flavour):
    with open_robot(flavour, delay=2.0) as robot:
        with robot.permission(f"{site.origin}/a/%2e%2e/tea") as permit, fetch(permit) as response:
            permit.record(status=response.status, headers=response.headers)
            assert response.read() == b"tea"
            assert (permit.waited, permit.verdict.allowed) == (2.0, True)
        began = robot.clock.now
        robot.get(f"{site.origin}/tea")

    assert robot.clock.now - began == 2.0
    assert site.paths() == ["/robots.txt", "/tea", "/tea"]
    assert site.heads[1]["user-agent"] == site.heads[2]["user-agent"] == "ExampleBot/1.0"
    assert site.heads[1]["from"] == "bot@example.com"


@flavours
@pytest.mark.parametrize("path", ["/private/x", "/%70rivate", "/x/../private", "/%2e/private"])
def test_disallowed_url_never_enters_the_block(site, flavour, path):
    with open_robot(flavour) as robot:
        with pytest.raises(comity.Disallowed) as caught, robot.permission(site.origin + path):
            pytest.fail("the block runs")
        with pytest.raises(comity.Disallowed) as own:
            robot.get(site.origin + path)

    assert str(pickle.loads(pickle.dumps(caught.value))) == str(own.value)
    assert site.paths() == ["/robots.txt"]


def lines_of(flavour, act, **options):
    """Return what a robot logs, without times."""
    lines = []
    with open_robot(flavour, log=lines.append, **options) as robot:
        act(robot)
    return [{key: value for key, value in line.items() if key not in UNIQUE} for line in lines]


#: Keys of a log line that differ between two runs.
UNIQUE = {"id", "request_id", "previous", "hash", "digest", "chain"}


@flavours
def test_log_is_that_of_get(flavour):
    def get(robot):
        robot.get("https://example.com/tea")
        robot.get("https://example.com/none")
        with pytest.raises(comity.Disallowed):
            robot.get("https://example.com/private")

    def permitted(robot):
        for path, status in (("/tea", 200), ("/none", 404)):
            with robot.permission("https://example.com" + path) as permit:
                permit.record(status=status)
        with pytest.raises(comity.Disallowed), robot.permission("https://example.com/private"):
            pytest.fail("the block runs")

    if flavour == "sync":
        site = partial(FakeSite, {"/tea": "Tea."}, robots=RULES)
        assert lines_of(flavour, get, transport=site()) == lines_of(flavour, permitted, transport=site())
    assert [line["status"] for line in lines_of(flavour, permitted, transport=FakeSite(robots=RULES))] == [
        *(200, 200, 404, None)
    ]


RETRY = [
    {"Retry-After": "50"},
    {b"retry-after": [b"50"]},
    [("X", "1"), ("RETRY-AFTER", " 50 ")],
    ((b"Retry-After", b"50"),),
]


@flavours
@pytest.mark.parametrize("headers", RETRY)
def test_retry_after_is_observed(flavour, headers):
    with open_robot(flavour, transport=FakeSite(), max_wait=10.0) as robot:
        with robot.permission("https://example.com/") as permit:
            permit.record(status=503, headers=headers)
        with pytest.raises(comity.MustWait) as caught, robot.permission("https://example.com/"):
            pytest.fail("the block runs")

    assert caught.value.seconds == pytest.approx(50.0)
    assert pickle.loads(pickle.dumps(caught.value)).seconds == caught.value.seconds


def test_headers_of_http_client_may_repeat():
    fields = http.client.HTTPMessage()
    fields["Set-Cookie"] = "a=1"
    fields["Set-Cookie"] = "b=1"
    fields["Retry-After"] = "40"
    with open_robot("sync", transport=FakeSite()) as robot:
        with robot.permission("https://example.com/") as permit:
            permit.record(status=429, headers=fields)
        assert robot.host_wait("https://example.com/") == pytest.approx(40.0)


def wait_after_get(flavour, failure):
    """Return how long a robot waits after its own request failed so."""
    with open_robot(flavour, transport=FakeSite({"/": failure})) as robot:
        with pytest.raises(type(failure)):
            robot.get("https://example.com/")
        return robot.host_wait("https://example.com/")


class LibraryError(Exception):
    """An error of an HTTP library that is not an `OSError`."""


def timed_out():
    try:
        raise TimeoutError("timed out")
    except TimeoutError as error:
        raise LibraryError("the read timed out") from error


def refused():
    urlopen(f"http://127.0.0.1:{unused_port()}/")


@flavours
@pytest.mark.parametrize(
    ("act", "failure"), [(timed_out, TimeoutError()), (refused, ConnectionRefusedError("refused"))]
)
def test_network_failure_that_leaves_the_block(flavour, act, failure):
    lines = []
    with open_robot(flavour, transport=FakeSite(), log=lines.append) as robot:
        with pytest.raises((LibraryError, OSError)), robot.permission("https://example.com/"):
            act()
        waits = robot.host_wait("https://example.com/")

    assert waits == pytest.approx(wait_after_get(flavour, failure))
    assert (waits > 0) is (act is timed_out)
    assert lines[-1]["made"] is (act is timed_out)
    assert lines[-1]["error"]


@flavours
def test_failure_that_the_caller_reports(flavour):
    with open_robot(flavour, transport=FakeSite()) as robot:
        with robot.permission("https://example.com/") as permit:
            permit.fail(LibraryError("the connection was reset"))
            with pytest.raises(comity.errors.OutOfOrder):
                permit.record(status=200)

        assert robot.host_wait("https://example.com/") == pytest.approx(
            wait_after_get(flavour, TimeoutError())
        )


#: Errors that are not failures of the server.
OWN_ERRORS = [ValueError("oops"), FileNotFoundError(2, "No such file", "a.html"), KeyboardInterrupt()]


@flavours
@pytest.mark.parametrize("error", OWN_ERRORS, ids=lambda error: type(error).__name__)
def test_own_error_in_the_block_counts_as_sent(flavour, error):
    if flavour != "sync" and not isinstance(error, Exception):
        pytest.skip("the portal of the test cannot carry it")
    lines = []
    with open_robot(flavour, transport=FakeSite(), delay=3.0, log=lines.append) as robot:
        with pytest.raises(type(error)), robot.permission("https://example.com/"):
            raise error
        assert robot.host_wait("https://example.com/") == pytest.approx(3.0)

    assert (lines[-1]["made"], lines[-1]["status"]) == (True, None)
    assert lines[-1]["error"] == (str(error) or "KeyboardInterrupt")


@flavours
@pytest.mark.parametrize("other", ["https://example.org/private", "https://example.com/tea"])
def test_refusal_of_another_request_in_the_block_is_not_silence(flavour, other):
    """The server of the block has not failed, so there is no back-off."""
    if flavour != "sync":
        pytest.skip("blocks of the portal are tasks of their own")
    with open_robot(flavour, transport=FakeSite(robots=RULES.decode()), delay=3.0) as robot:
        with pytest.raises((comity.Disallowed, comity.MustWait)), robot.permission("https://example.com/"):
            robot.get(other)
        assert robot.host_wait("https://example.com/") == pytest.approx(3.0)


@flavours
def test_response_of_urllib_that_is_raised(site, flavour):
    site.routes["/busy"] = answer(503, headers={"Retry-After": "70"})
    lines = []
    with open_robot(flavour, log=lines.append) as robot:
        with (
            pytest.raises(urllib.error.HTTPError) as caught,
            robot.permission(f"{site.origin}/busy") as permit,
        ):
            fetch(permit)
        caught.value.close()
        assert robot.host_wait(site.origin) == pytest.approx(70.0)

    assert (lines[-1]["status"], lines[-1]["error"]) == (503, None)


@flavours
def test_no_outcome_counts_as_sent(flavour):
    lines = []
    with open_robot(flavour, transport=FakeSite(), delay=3.0, log=lines.append) as robot:
        with robot.permission("https://example.com/", method="HEAD"):
            pass
        assert robot.host_wait("https://example.com/") == pytest.approx(3.0)
        assert robot.visits("https://example.com/") == 2

    assert lines[-1]["made"]
    assert lines[-1]["method"] == "HEAD"
    assert lines[-1]["error"] == "no outcome was recorded"


@flavours
def test_disallowed_use_in_the_fields(flavour):
    with open_robot(flavour, transport=FakeSite(), respect="train-ai") as robot:
        with (
            pytest.raises(comity.UsageDisallowed) as caught,
            robot.permission("https://example.com/") as permit,
        ):
            permit.record(status=200, headers={"Content-Usage": "train-ai=n"})
        assert robot.host_wait("https://example.com/") == 0.0

    assert pickle.loads(pickle.dumps(caught.value)).category == "train-ai"


@flavours
def test_disallowed_use_in_robots_txt(flavour):
    with (
        open_robot(flavour, transport=FakeSite(robots=RULES), respect="train-ai") as robot,
        pytest.raises(comity.UsageDisallowed),
        robot.permission("https://example.com/"),
    ):
        pytest.fail("the block runs")


@flavours
def test_second_request_to_the_host_in_the_block_is_refused_at_once(flavour):
    site = FakeSite({"https://example.org/": "Other."})
    if flavour != "sync":
        pytest.skip("blocks of the portal are tasks of their own")
    with open_robot(flavour, transport=site) as robot, robot.permission("https://example.com/") as permit:
        began = robot.clock.now
        with pytest.raises(comity.MustWait):
            robot.get("https://example.com/")
        with pytest.raises(comity.MustWait), robot.permission("https://example.com/b"):
            pytest.fail("the block runs")
        assert robot.clock.now == began
        assert robot.get("https://example.org/").text == "Other."
        permit.record(status=200)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_second_request_of_the_task_is_refused_at_once(backend):
    async def main():
        options = {"transport": FakeSite(), "clock": FakeClock(), "delay": 0.0}
        robot = comity.AsyncRobot("ExampleBot/1.0", contact="bot@example.com", **options)
        async with robot, robot.permission("https://example.com/"):
            with pytest.raises(comity.MustWait):
                await robot.get("https://example.com/")

    anyio.run(main, backend=backend)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_cancelled_block_releases_the_host(backend):
    async def main():
        options = {"transport": FakeSite(), "clock": FakeClock(), "delay": 0.0}
        async with comity.AsyncRobot("ExampleBot/1.0", contact="bot@example.com", **options) as robot:
            with anyio.CancelScope() as scope:
                async with robot.permission("https://example.com/"):
                    scope.cancel()
                    await anyio.lowlevel.checkpoint()
            assert await robot.host_wait("https://example.com/") == 0.0
            async with robot.permission("https://example.com/") as permit:
                await permit.renew()
                permit.record(status=200)

    anyio.run(main, backend=backend)


@flavours
def test_outcome_is_recorded_once(flavour):
    with open_robot(flavour, transport=FakeSite()) as robot:
        with robot.permission("https://example.com/") as permit:
            permit.record(status=200)
            with pytest.raises(comity.errors.OutOfOrder, match="has its outcome"):
                permit.record(status=200)
            permit.fail(ConnectionResetError("in the middle of the body"))
        with pytest.raises(comity.errors.OutOfOrder):
            permit.record(status=200)
        permit.fail(ConnectionResetError("too late"))
        assert robot.host_wait("https://example.com/") == 0.0


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ({"status": 99}, "invalid status 99: expected 100 to 999"),
        ({"status": True}, "invalid status True"),
        ({"status": "200"}, "invalid status '200'"),
        ({"status": 200, "headers": {1: "a"}}, "invalid header 1"),
        ({"status": 200, "headers": {"Date": None}}, "invalid header None"),
    ],
)
def test_outcome_that_is_not_valid(outcome, message):
    with (
        open_robot("sync", transport=FakeSite()) as robot,
        robot.permission("https://example.com/") as permit,
    ):
        with pytest.raises(comity.InvalidArgument, match=message):
            permit.record(**outcome)
        permit.record(status=200)


def test_url_that_cannot_be_permitted():
    with open_robot("sync", transport=FakeSite(), base_url="https://example.com/a/") as robot:
        with robot.permission("b") as permit:
            assert permit.url == "https://example.com/a/b"
        for url in ("mailto:a@example.com", "data:,x", "http:///x"):
            with pytest.raises(comity.InvalidURL), robot.permission(url):
                pytest.fail("the block runs")
    with pytest.raises(RuntimeError, match="the robot is closed"), robot.permission("b"):
        pytest.fail("the block runs")


@flavours
def test_credentials_are_sent_in_a_field(flavour):
    with (
        Server(
            {"/robots.txt": answer(body=b"User-agent: *\nDisallow: /private"), "/": answer()},
            login=("u", "p"),
        ) as site,
        open_robot(flavour) as robot,
    ):
        url = site.origin.replace("//", "//u:p@") + "/"
        with robot.permission(url) as permit, fetch(permit) as response:
            permit.record(status=response.status)
            assert "p@" not in permit.url + repr(permit)
            assert "Authorization" in permit.headers
        with pytest.raises(comity.Disallowed), robot.permission(f"{url}private"):
            pytest.fail("the block runs")


def test_threads_take_turns():
    busy, overlaps, lock = [], [], threading.Lock()

    def visit(robot, number):
        with robot.permission(f"https://example.com/{number}") as permit:
            busy.append(number)
            with lock:
                overlaps.append(len(busy))
            busy.remove(number)
            permit.record(status=200)

    with open_robot("sync", transport=FakeSite(), max_wait=None) as robot:
        threads = [threading.Thread(target=visit, args=(robot, number)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert robot.visits("https://example.com/") == 21

    assert overlaps == [1] * 20


def test_renewed_permission_excludes_others_for_longer_than_a_lease():
    clock, store = FakeClock(), MemoryStore()
    options = {"transport": FakeSite(), "store": store, "clock": clock, "max_wait": 0.0}
    with open_robot("sync", **options) as one, open_robot("sync", **options) as other:
        one.access("https://example.com/")
        with one.permission("https://example.com/") as permit:
            for _ in range(4):
                clock.now += 70.0
                permit.renew()
            with pytest.raises(comity.MustWait):
                other.get("https://example.com/")
            permit.record(status=200)
        with other.permission("https://example.com/") as permit:
            permit.record(status=200)


@posix_only("signals of a thread")
def test_signal_handler_in_the_block_is_refused_at_once():
    refusals = []
    with open_robot("sync", transport=FakeSite()) as robot:

        def handler(*_):
            try:
                robot.get("https://example.com/")
            except comity.MustWait as refusal:
                refusals.append(refusal)

        before = signal.signal(signal.SIGUSR1, handler)
        try:
            with robot.permission("https://example.com/") as permit:
                signal.raise_signal(signal.SIGUSR1)
                permit.record(status=200)
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert robot.get("https://example.com/").status_code == 404

    assert len(refusals) == 1


def test_page_of_another_client_can_be_read():
    with open_robot("sync", transport=FakeSite(), respect="index") as robot:
        with robot.permission("https://example.com/") as permit:
            permit.record(status=200)
            response = httpx2.Response(
                200,
                headers={"content-type": "text/html"},
                content=b'<meta name=robots content=noindex><a href="/b">b</a>',
                request=httpx2.Request("GET", permit.url),
            )
        with pytest.raises(comity.UsageDisallowed):
            robot.read(response)


@flavours
def test_later_task_has_another_identifier(flavour):
    """A response may be open when its task has ended; another task must not be taken for it."""
    found = []

    async def task():
        found.append(_async.current_task_id())

    async def main():
        for _ in range(100):
            async with anyio.create_task_group() as group:
                group.start_soon(task)

    if flavour == "sync":
        for _ in range(100):
            thread = threading.Thread(target=lambda: found.append(_sync.current_task_id()))
            thread.start()
            thread.join()
    else:
        anyio.run(main, backend=flavour)
    assert all(first != second for first, second in combinations(found, 2))
