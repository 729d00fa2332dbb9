"""A transport that obeys: for those who keep their own HTTP client."""

import os
from collections.abc import Callable, Mapping, Sequence

import httpx2

from ...politeness import pace
from ...politeness._async.concurrency import Clock
from ...politeness.identity import Identity
from ...politeness.log import DecisionLog
from ...politeness.stores import AsyncStore
from ...politeness.stores._async.memory import AsyncMemoryStore
from ...protocol.access.policy import AccessPolicy, access_policy
from .keeper import AsyncKeeper, judged_as

__all__ = ["ACCESS_ONLY", "AsyncObeyingTransport", "AsyncRobotsTransport"]

#: The extension of a request that is not to be sent, only to be judged: the answer's extension has
#: the URL as it is judged, the access, and the rules if there are any.
ACCESS_ONLY = "comity.access"


class AsyncObeyingTransport(httpx2.AsyncBaseTransport):
    """Sends by a wrapped transport what a keeper lets pass; several may have one keeper."""

    def __init__(self, wrapped: httpx2.AsyncBaseTransport, keeper: AsyncKeeper) -> None:
        """Wrap a transport."""
        self._wrapped = wrapped
        self.keeper = keeper

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request if it is allowed and when it is time.

        Raises `Disallowed` for what is forbidden, `MustWait` for what would take too long, and what
        the wrapped transport raises.
        """
        if ACCESS_ONLY not in request.extensions:
            return await self.keeper.obey(request, self._wrapped.handle_async_request)
        url = judged_as(request.url)
        found = await self.keeper.access(url, self._wrapped.handle_async_request)
        return httpx2.Response(204, extensions={ACCESS_ONLY: (url, *found)})

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._wrapped.aclose()


class AsyncRobotsTransport(AsyncObeyingTransport):
    """Wraps a transport of httpx2, and sends only what robots.txt allows, when it is time.

    A client sends each hop of a redirect through its transport, so each is judged by the file of its own
    origin. Every request carries `user_agent` and the contact, whatever headers the client sets. URLs of
    other schemes than http and https pass.

    The arguments are those of `AsyncRobot`. Raises `InvalidArgument` for a robot without a name or a
    contact, or for a policy that does not exist, `ValueError` for a negative delay.
    """

    def __init__(
        self,
        wrapped: httpx2.AsyncBaseTransport,
        user_agent: str,
        *,
        contact: str,
        agent: str | Sequence[str] | None = None,
        policy: str | AccessPolicy = "rfc9309",
        store: AsyncStore | None = None,
        delay: float = pace.FLOOR,
        crawl_delay_cap: float = pace.CAP,
        max_wait: float = 600.0,
        robots_timeout: float = 30.0,
        log: str | os.PathLike[str] | Callable[[Mapping[str, object]], object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Wrap a transport."""
        identity = Identity.of(user_agent, contact, agent)
        self._log = None if log is None else DecisionLog(log)
        keeper = AsyncKeeper(
            identity,
            policy=access_policy(policy),
            store=AsyncMemoryStore() if store is None else store,
            delay=delay,
            crawl_delay_cap=crawl_delay_cap,
            max_wait=max_wait,
            robots_timeout=robots_timeout,
            log=self._log,
            clock=clock,
        )
        super().__init__(wrapped, keeper)

    def also(self, wrapped: httpx2.AsyncBaseTransport) -> AsyncObeyingTransport:
        """Wrap another transport for the same robot, as for a proxy: it shares rules, turns and log."""
        return AsyncObeyingTransport(wrapped, self.keeper)

    async def aclose(self) -> None:
        """Close the wrapped transport and the log; a store that was given is its owner's to close."""
        try:
            await super().aclose()
        finally:
            if self._log is not None:
                self._log.close()
