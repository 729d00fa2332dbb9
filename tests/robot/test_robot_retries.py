"""Requests that are tried again keep their gap, Retry-After and back-off."""

import anyio
import httpx2
import pytest
from http_server import unused_port
from robot_flavours import FLAVOURS, START, open_robot
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

import comity
from comity.testing import FakeClock, FakeSite

flavours = pytest.mark.parametrize("flavour", FLAVOURS)

BUSY = httpx2.Response(503, headers={"retry-after": "20"})


@flavours
def test_moment_of_must_wait_is_that_of_the_next_attempt(flavour):
    site = FakeSite({"/tea": [BUSY, BUSY, "Green tea."]})
    with open_robot(flavour, transport=site, delay=2.0, max_wait=0.0, clock=site.clock) as robot:
        attempts = 0
        while True:
            attempts += 1
            try:
                response = robot.get("https://example.com/tea")
            except comity.MustWait as early:
                site.clock.now = early.until
            else:
                if response.status_code == 200:
                    break

    assert attempts == 6  # each of the three requests was refused once
    # The second refusal in a row is followed by the back-off of 60 seconds, which is longer than Retry-After.
    assert [request.time - START for request in site.requests] == pytest.approx([0.0, 2.0, 22.0, 82.0])


@flavours
def test_moment_of_unreachable_is_that_of_the_next_request_for_robots_txt(flavour):
    site = FakeSite({"/robots.txt": [503, "User-agent: *\nDisallow:"], "/tea": "Green tea."})
    with open_robot(flavour, transport=site, clock=site.clock) as robot:
        with pytest.raises(comity.Unreachable) as caught:
            robot.get("https://example.com/tea")
        site.clock.now = caught.value.until - 1.0
        with pytest.raises(comity.Unreachable):
            robot.get("https://example.com/tea")
        site.clock.now = caught.value.until
        assert robot.get("https://example.com/tea").text == "Green tea."

    assert site.paths == ["/robots.txt", "/robots.txt", "/tea"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_attempts_of_tenacity_keep_the_pauses(backend):
    site = FakeSite({"/tea": [httpx2.ReadTimeout("no answer"), BUSY, "Green tea."]})

    async def get(robot):
        return (await robot.get("https://example.com/tea")).raise_for_status()

    async def main():
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(httpx2.HTTPError), stop=stop_after_attempt(5), sleep=anyio.sleep
        )
        options = {"transport": site, "clock": site.clock, "contact": "bot@example.com"}
        async with comity.AsyncRobot("ExampleBot/1.0", **options) as robot:
            return (await attempts(get, robot)).text

    assert anyio.run(main, backend=backend) == "Green tea."
    assert [request.time - START for request in site.requests] == pytest.approx([0.0, 1.0, 31.0, 91.0])


def test_attempts_to_connect_are_one_request():
    clock = FakeClock()
    transport = httpx2.HTTPTransport(retries=1, trust_env=False)
    url = f"http://127.0.0.1:{unused_port()}/"
    with open_robot("sync", transport=transport, clock=clock) as robot:
        with pytest.raises(comity.Unreachable):
            robot.get(url)
        assert robot.visits(url) == 1
        assert robot.host_wait(url) == 0.0
