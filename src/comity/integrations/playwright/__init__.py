"""Playwright: a Chromium that sends only permitted requests.

    RobotsRoute(robot).install(context)             # of playwright.sync_api
    await AsyncRobotsRoute(robot).install(context)  # of playwright.async_api

Playwright calls a handler of `context.route` for the first URL of a redirect only. So the browser pauses each
request before it is sent, by the domain Fetch of the Chrome DevTools Protocol.
"""

from .refusals import Disallowed, MustWait, StoreUnavailable, Unreachable, UsageDisallowed
from .routes import AsyncRobotsRoute
from .sync_routes import RobotsRoute

__all__ = [
    "AsyncRobotsRoute",
    "Disallowed",
    "MustWait",
    "RobotsRoute",
    "StoreUnavailable",
    "Unreachable",
    "UsageDisallowed",
]
