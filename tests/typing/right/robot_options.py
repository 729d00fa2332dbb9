"""Every option of a robot, and a typed function that passes options on."""

import ssl
from collections.abc import Callable
from pathlib import Path

import httpx2

import comity
from comity.testing import FakeClock, FakeSite

urls: list[str] = []
records: list[dict[str, object]] = []


def note(request: httpx2.Request) -> None:
    urls.append(str(request.url))


def robot_of(
    site: FakeSite, *, log: Callable[[dict[str, object]], object] | Path | None = None
) -> comity.Robot:
    return comity.Robot(
        "ExampleBot/1.0",
        contact="https://example.com/bot",
        agent="ExampleBot",
        policy="google",
        store=None,
        delay=0.5,
        crawl_delay_cap=60,
        slow_down=5,
        queue="address",
        max_wait=None,
        robots_timeout=10,
        public_only=True,
        log=log,
        respect=["train-ai"],
        only_if_allowed=False,
        vocabulary="aipref-vocab-05",
        clock=site.clock,
        transport=site,
        mounts={"https://": site, "all://*.example.com": None},
        trust_env=False,
        verify=ssl.create_default_context(),
        http2=False,
        limits=httpx2.Limits(max_connections=10),
        timeout=(5, 30.0, 30, None),
        follow_redirects=True,
        auth=("user", "password"),
        headers={"Accept-Language": "en"},
        cookies={"consent": "no"},
        max_redirects=3,
        event_hooks={"request": [note]},
        base_url="https://example.com",
    )


with robot_of(FakeSite({"/": "Tea."}, clock=FakeClock(1_800_000_000.0)), log=records.append) as robot:
    robot.get("/", follow_redirects=False)
assert "https://example.com/" in urls
assert {record["made"] for record in records} == {True}
