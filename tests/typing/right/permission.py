"""A permission for the request of another client."""

import asyncio
from collections.abc import Mapping

import comity
from comity.testing import FakeSite

SITE = FakeSite({"/": "Tea."})

with comity.Robot("ExampleBot/1.0", contact="bot@example.com", transport=SITE, clock=SITE.clock) as robot:
    with robot.permission("https://example.com/", method="HEAD") as permit:
        one: comity.Permit = permit
        url: str = permit.url
        fields: Mapping[str, str] = {**permit.headers, "Accept": "text/html"}
        verdict: comity.Verdict = permit.verdict
        permit.renew()
        permit.record(status=200, headers={"Content-Type": "text/html"})
    with robot.permission("https://example.com/") as permit:
        permit.record(status=429, headers=[(b"Retry-After", b"5")])
    with robot.permission("https://example.com/") as permit:
        permit.fail(TimeoutError("no answer"))


async def main() -> float:
    robot = comity.AsyncRobot("ExampleBot/1.0", contact="bot@example.com", transport=SITE, clock=SITE.clock)
    async with robot:
        async with robot.permission("https://example.com/") as permit:
            one: comity.AsyncPermit = permit
            await permit.renew()
            permit.record(status=200)
        return one.waited


assert verdict.allowed
assert one.url == url == "https://example.com/"
assert fields["From"] == "bot@example.com"
assert asyncio.run(main()) > 0.0
