"""Transports of httpx2 that choose another one for each URL: a mounted one, or that of a proxy."""

from collections.abc import Callable, Mapping

import httpx2

from ...protocol.text import shortened
from ..proxies import Proxies
from ..public_network import guard
from ..transports import Mounts, check_transport, leave_to_parent


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


class AsyncMountedTransport(httpx2.AsyncBaseTransport):
    """Sends requests through mounted transports, and others through a default one.

    A robot wraps this transport, so requests for robots.txt take the same mount as pages, and no mount takes
    a request past the rules. A mount precedes all proxies.
    """

    def __init__(
        self,
        mounts: Mapping[str, httpx2.AsyncBaseTransport | None],
        default: httpx2.AsyncBaseTransport,
        direct: httpx2.AsyncBaseTransport,
        *,
        public_only: bool,
    ) -> None:
        """Use `direct` for patterns that stand for None, and `default` for URLs that no pattern matches.

        With `public_only`, all of them connect to public addresses only. Raises `InvalidArgument` for a
        pattern or a transport that is not valid, or that cannot be restricted so.
        """
        self._mounts = Mounts(
            {key: direct if mounted is None else mounted for key, mounted in mounts.items()}
        )
        for mounted in mounts.values():
            if mounted is not None:
                check_transport("mounts", mounted, httpx2.AsyncBaseTransport)
        self._default = default
        # Each is closed once, in the order of creation, although it may be mounted several times.
        self._all = tuple({id(each): each for each in (default, direct, *self._mounts.transports)}.values())
        #: whether all transports check the addresses that they connect to
        self.public_only: bool = public_only
        for transport in self._all:
            leave_to_parent(transport)
            if public_only:
                guard(transport)

    def __repr__(self) -> str:
        return shortened(f"{type(self).__name__}({', '.join(map(repr, self._all))})", 200)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        return await self._mounts.find(request.url, self._default).handle_async_request(request)

    async def aclose(self) -> None:
        """Close all transports."""
        for transport in self._all:
            await transport.aclose()
