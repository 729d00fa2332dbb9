"""Several sites at the same time, with the asynchronous robot."""

import asyncio
from collections.abc import Sequence

import comity
from comity.testing import FakeClock, FakeSite

SITE = FakeSite({"/": "Tea.", "https://other.example/": "Coffee."})


async def read(robot: comity.AsyncRobot, url: str) -> str:
    async with robot.stream("GET", url) as response:
        return (await response.aread()).decode()


async def main(urls: Sequence[str]) -> list[str]:
    async with comity.AsyncRobot(
        "ExampleBot/1.0", contact="bot@example.com", transport=SITE, clock=FakeClock(), max_wait=None
    ) as robot:
        texts: list[str] = await asyncio.gather(*(read(robot, url) for url in urls))
        verdict: comity.Verdict = await robot.check(urls[0])
        access: comity.Access = await robot.access(urls[0])
        page: comity.Page = await robot.page(urls[0], headers={"Accept-Language": "en"}, timeout=5)
    assert verdict.reason is comity.Reason.UNAVAILABLE
    assert access.outcome is comity.Outcome.UNAVAILABLE
    assert page.status == 200
    return texts


assert asyncio.run(main(["https://example.com/", "https://other.example/"])) == ["Tea.", "Coffee."]
