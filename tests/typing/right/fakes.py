"""The tests of a crawler, with a fake site and a fake clock."""

import httpx2

import comity
from comity.testing import Answer, FakeClock, FakeSite, RecordedRequest


def echo(request: httpx2.Request) -> Answer:
    return request.url.path


def test_crawler_waits() -> None:
    clock = FakeClock(now=0.0)
    site = FakeSite(
        {"/": "Tea.", "/busy": [503, "Tea."], "/echo": echo, "/gone": httpx2.ConnectTimeout("slow")},
        robots=b"User-agent: *\nCrawl-delay: 5",
        origin="https://shop.example",
        clock=clock,
    )
    with comity.Robot("ExampleBot/1.0", contact="bot@example.com", transport=site, clock=clock) as robot:
        assert robot.get("https://shop.example/echo").text == "/echo"
        assert robot.get("https://shop.example/busy").status_code == 503
        try:
            robot.get("https://shop.example/gone")
        except httpx2.TimeoutException as error:
            assert str(error) == "slow"
    last: RecordedRequest = site.requests[-1]
    assert (last.method, last.headers["from"], site.paths[0]) == ("GET", "bot@example.com", "/robots.txt")
    assert clock.slept[0] == 5.0
    assert clock.time() > sum(clock.slept) - 1


test_crawler_waits()
