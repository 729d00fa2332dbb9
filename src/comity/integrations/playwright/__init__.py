"""Playwright: a Chromium that sends only permitted requests.

    await AsyncRobotsRoute(robot).install(context)

Playwright calls a handler of `context.route` for the first URL of a redirect only. So the browser pauses each
request before it is sent, by the domain Fetch of the Chrome DevTools Protocol.
"""

from .refusals import Disallowed, MustWait, StoreUnavailable, Unreachable, UsageDisallowed
from .routes import AsyncRobotsRoute

__all__ = [
    "AsyncRobotsRoute",
    "Disallowed",
    "MustWait",
    "StoreUnavailable",
    "Unreachable",
    "UsageDisallowed",
]
