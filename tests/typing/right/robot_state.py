"""The state of robots: waits, visits, settings that change, and rules that were not fetched."""

import asyncio

import httpx2

import comity
from comity.testing import FakeSite

CLOSED = "User-agent: *\nDisallow: /a\n"


def show(site: FakeSite) -> list[str]:
    with comity.Robot("ExampleBot/1.0", contact="a@b.example", transport=site, clock=site.clock) as robot:
        access: comity.Access = robot.learn("https://example.com/", CLOSED, until=site.clock.time() + 60)
        robot.learn(httpx2.URL("https://example.org/"), comity.parse(b""))
        assert access.allowed("/b", agent="ExampleBot")
        robot.get("https://example.com/")
        robot.delay = 60
        robot.delay = robot.delay / 2
        wait: float = robot.host_wait("example.com")
        visits: int = robot.visits(httpx2.URL("https://example.com/"))
        assert (wait, visits) == (30.0, 1)
        robot.max_wait = None
        limit: float | None = robot.max_wait
        assert limit is None
        lines: str = robot.describe()
        return [repr(robot), *lines.splitlines()]


async def show_async(site: FakeSite) -> list[str]:
    async with comity.AsyncRobot(
        "ExampleBot/1.0", contact="a@b.example", transport=site, clock=site.clock
    ) as robot:
        access: comity.Access = await robot.learn("https://example.com/", b"")
        assert access.cause.code == "supplied"
        wait: float = await robot.host_wait("example.com")
        visits: int = await robot.visits("example.com")
        assert (wait, visits) == (0.0, 0)
        robot.delay = 5.0
        return robot.describe().splitlines()


assert show(FakeSite({"/": "Tea."}))[1] == "ExampleBot/1.0"
assert "    delay: 5 s" in asyncio.run(show_async(FakeSite()))
