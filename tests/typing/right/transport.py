"""A client of httpx2 that becomes polite by its transport."""

import asyncio

import httpx2

import comity
from comity.testing import FakeSite

SITE = FakeSite({"/": "Tea."}, robots="User-agent: *\nDisallow: /cart")

polite = comity.RobotsTransport(
    SITE,
    "ExampleBot/1.0",
    contact="bot@example.com",
    agent=("ExampleBot", "Example"),
    clock=SITE.clock,
    delay=0,
)
with httpx2.Client(transport=polite, base_url="https://example.com") as client:
    text: str = client.get("/").text
    try:
        client.get("/cart")
    except httpx2.TransportError as error:
        assert isinstance(error, comity.Disallowed)
        line: int | None = error.verdict.line
        assert line == 2


async def main() -> int:
    transport: httpx2.AsyncBaseTransport = comity.AsyncRobotsTransport(
        SITE, "ExampleBot/1.0", contact="bot@example.com", clock=SITE.clock, crawl_delay_cap=None
    )
    async with httpx2.AsyncClient(transport=transport) as client:
        return (await client.get("https://example.com/")).status_code


assert text == "Tea."
assert asyncio.run(main()) == 200
