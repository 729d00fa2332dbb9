"""The fake site and the fake clock that users get for their own tests."""

import importlib
import sys

import anyio
import httpx2
import pytest

import comity
from comity.testing import FakeClock, FakeSite

WHO = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com"}


@pytest.fixture
def open_robot():
    robots = []

    def make(site, **options):
        robots.append(comity.Robot(**WHO, transport=site, clock=site.clock, **options))
        return robots[-1]

    yield make
    for robot in robots:
        robot.close()


def test_pages_of_one_site(open_robot):
    site = FakeSite({"/": "<p>Tea.", "/find?q=tea": b"found", "/find": "nothing", "/gone": 410})
    robot = open_robot(site, delay=0.0)

    texts = [robot.get(f"https://example.com{path}").text for path in ("/", "/find?q=tea", "/find?q=milk")]
    assert texts == ["<p>Tea.", "found", "nothing"]
    assert [robot.get(f"https://example.com{path}").status_code for path in ("/gone", "/no")] == [410, 404]
    assert site.paths == ["/robots.txt", "/", "/find?q=tea", "/find?q=milk", "/gone", "/no"]
    assert robot.get("https://example.com/").headers["content-type"] == "text/html; charset=utf-8"


def test_pages_of_other_sites(open_robot):
    site = FakeSite({"https://other.example/a": "a"}, robots="User-agent: *\nDisallow: /")
    robot = open_robot(site)

    assert not robot.allowed("https://example.com/")
    assert robot.get("https://other.example/a").text == "a"
    with pytest.raises(comity.Unreachable):
        robot.get("https://unknown.example/")
    assert site.paths == [
        "/robots.txt",
        "https://other.example/robots.txt",
        "https://other.example/a",
        "https://unknown.example/robots.txt",
    ]


def test_requests_have_time_and_headers(open_robot):
    site = FakeSite(clock=FakeClock(5.0))
    open_robot(site, delay=2.0).get("https://example.com/")

    assert [request.time for request in site.requests] == [5.0, 7.0]
    assert {request.method for request in site.requests} == {"GET"}
    assert site.requests[1].url == "https://example.com/"
    assert site.requests[1].headers["from"] == "bot@example.com"


def test_response_can_be_sent_twice(open_robot):
    site = FakeSite(
        {"/old": httpx2.Response(301, headers={"location": "/new"}), "/new": httpx2.Response(200, text="n")}
    )
    robot = open_robot(site)

    assert [robot.get("https://example.com/old").text for _ in range(2)] == ["n", "n"]


def test_list_answers_in_order_and_repeats_the_last(open_robot):
    site = FakeSite({"/": [httpx2.Response(503, headers={"retry-after": "120"}), 200]})
    robot = open_robot(site, delay=1.0)

    assert [robot.get("https://example.com/").status_code for _ in range(3)] == [503, 200, 200]
    assert site.clock.slept == [1.0, 120.0, 1.0]


def test_exceptions_and_functions(open_robot):
    site = FakeSite({"/slow": httpx2.ReadTimeout("slow"), "/echo": lambda request: request.method})
    robot = open_robot(site)

    with pytest.raises(httpx2.ReadTimeout):
        robot.get("https://example.com/slow")
    assert robot.post("https://example.com/echo").text == "POST"


@pytest.mark.parametrize("robots", [503, httpx2.ConnectError("no such host")], ids=["status", "exception"])
def test_unreachable_robots_txt(open_robot, robots):
    with pytest.raises(comity.Unreachable):
        open_robot(FakeSite({"/": "Tea."}, robots=robots)).get("https://example.com/")


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_async_robot(loop):
    site = FakeSite({"/": "Tea."}, robots="User-agent: *\nCrawl-delay: 30", origin="https://tea.example/")

    async def crawl():
        async with (
            comity.AsyncRobot(**WHO, transport=site, clock=site.clock) as robot,
            anyio.create_task_group() as tasks,
        ):
            for _ in range(3):
                tasks.start_soon(robot.get, "https://tea.example/")

    anyio.run(crawl, backend=loop)
    times = [request.time - site.requests[0].time for request in site.requests]
    assert times == [0.0, 30.0, 60.0, 90.0]


def test_without_the_extra(monkeypatch):
    monkeypatch.delitem(sys.modules, "comity.testing")
    monkeypatch.setitem(sys.modules, "httpx2", None)

    with pytest.raises(
        ImportError, match=r'needs httpx2; install the extra `robot`; .*: pip install ".\[robot\]"$'
    ):
        importlib.import_module("comity.testing")
