"""Robots of every flavour behind one face, so that a test is written once, and a clock that no test waits for."""

from contextlib import ExitStack, contextmanager
from functools import partial

import anyio.lowlevel
from anyio.from_thread import start_blocking_portal

import comity

#: The event loop that a robot runs in; none for the sync flavour.
FLAVOURS = ["sync", "asyncio", "trio"]

#: A Tuesday, 22:13:20 UTC.
START = 1_700_000_000.0


class FakeClock:
    """A clock that goes on when somebody waits for it, or when a test says so."""

    def __init__(self, now=START):
        self.now = now
        self.slept = []

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


class AsyncFakeClock(FakeClock):
    async def sleep(self, seconds):
        super().sleep(seconds)
        await anyio.lowlevel.checkpoint()


class BlockingRobot:
    """A robot whose methods may be called from a test that is not async, whatever its flavour."""

    def __init__(self, robot, portal, clock):
        self.robot = robot
        self.clock = clock
        self._portal = portal

    def __getattr__(self, name):
        method = getattr(self.robot, name)
        if self._portal is None or not callable(method):
            return method
        return lambda *arguments, **named: self._portal.call(partial(method, *arguments, **named))

    def stream(self, *arguments, **named):
        made = self.robot.stream(*arguments, **named)
        return made if self._portal is None else self._portal.wrap_async_context_manager(made)

    def close(self, what):
        """Close a response, or the robot."""
        return what.close() if self._portal is None else self._portal.call(what.aclose)

    def load(self, response):
        return response.read() if self._portal is None else self._portal.call(response.aread)


@contextmanager
def open_robot(flavour, *, clock=None, **options):
    """Give a robot that keeps no gap but what sites ask for, and does not wait where a test would."""
    settings = {"contact": "bot@example.com", "delay": 0.0, "robots_timeout": 5.0, "trust_env": False}
    name = options.pop("name", "ExampleBot/1.0")
    with ExitStack() as stack:
        if flavour == "sync":
            clock = clock or FakeClock()
            robot = BlockingRobot(comity.Robot(name, clock=clock, **settings | options), None, clock)
        else:
            clock = AsyncFakeClock() if clock is None else clock
            portal = stack.enter_context(start_blocking_portal(flavour))
            make = partial(comity.AsyncRobot, name, clock=clock, **settings | options)
            robot = BlockingRobot(portal.call(make), portal, clock)
        stack.callback(lambda: robot.close(robot.robot))
        yield robot
