"""A transport of httpx2 that sends each request through the proxy that the environment names for its URL."""

from collections.abc import Callable

import httpx2

from ..proxies import Proxies
from ..transports import leave_to_parent


class AsyncProxyTransport(httpx2.AsyncBaseTransport):
    """Sends requests directly, or through the proxies of the environment.

    One transport stands for all routes, so that its user need not know which one a URL takes.
    """

    def __init__(self, create: Callable[[str | None], httpx2.AsyncBaseTransport], proxies: Proxies) -> None:
        """Create a transport for each proxy; `create` gets its URL, or None for direct requests."""
        self._proxies = proxies
        self._routes = {address: create(address) for address in (None, *sorted(proxies.addresses))}
        for route in self._routes.values():
            leave_to_parent(route)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        return await self._routes[self._proxies.proxy_of(request.url)].handle_async_request(request)

    async def aclose(self) -> None:
        """Close all routes."""
        for route in self._routes.values():
            await route.aclose()
