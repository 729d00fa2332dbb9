"""Sync and async robots behind one blocking interface, so that each test is written once."""

from contextlib import ExitStack, contextmanager
from functools import partial

from anyio.from_thread import start_blocking_portal

import comity
from comity.testing import FakeClock

#: The synchronous robot, and the event loops of the asynchronous one.
FLAVOURS = ["sync", "asyncio", "trio"]

#: Where a fake clock begins: a Tuesday, 22:13:20 UTC.
START = FakeClock().now


class BusyClock(FakeClock):
    """A clock during whose waits another part of the program acts, by the function `act`."""

    def __init__(self):
        super().__init__()
        self.act = lambda: None

    def sleep(self, seconds):
        """Call `act`, and move the clock."""
        self.act()
        return super().sleep(seconds)


class BlockingRobot:
    """A robot of any flavour whose methods block."""

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

    def permission(self, *arguments, **named):
        made = self.robot.permission(*arguments, **named)
        return made if self._portal is None else self._portal.wrap_async_context_manager(made)

    def close(self, what):
        """Close a response, or the robot."""
        return what.close() if self._portal is None else self._portal.call(what.aclose)

    def load(self, response):
        return response.read() if self._portal is None else self._portal.call(response.aread)


@contextmanager
def open_robot(flavour, *, clock=None, **options):
    """Yield a robot without a delay of its own, on a clock that does not wait, or with `real_time`."""
    settings = {"contact": "bot@example.com", "delay": 0.0, "robots_timeout": 60.0, "trust_env": False}
    name = options.pop("name", "ExampleBot/1.0")
    with ExitStack() as stack:
        clock = None if options.pop("real_time", False) else clock or FakeClock()
        if flavour == "sync":
            robot = BlockingRobot(comity.Robot(name, clock=clock, **settings | options), None, clock)
        else:
            portal = stack.enter_context(start_blocking_portal(flavour))
            make = partial(comity.AsyncRobot, name, clock=clock, **settings | options)
            robot = BlockingRobot(portal.call(make), portal, clock)
        stack.callback(lambda: robot.close(robot.robot))
        yield robot
