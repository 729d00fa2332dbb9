# Generated from _async/transport.py by `make generate`; change that file.
"""A transport that obeys: for those who keep their own HTTP client."""

import os
from collections.abc import Callable, Mapping, Sequence

import httpx2

from ...politeness import pace
from ...politeness._sync.concurrency import Clock
from ...politeness.identity import Identity
from ...politeness.log import DecisionLog
from ...politeness.stores import Store
from ...politeness.stores._sync.memory import MemoryStore
from ...protocol.access.policy import AccessPolicy, access_policy
from .keeper import Keeper, judged_as

__all__ = ["ACCESS_ONLY", "ObeyingTransport", "RobotsTransport"]

#: The extension of a request that is not to be sent, only to be judged: the answer's extension has
#: the URL as it is judged, the access, and the rules if there are any.
ACCESS_ONLY = "comity.access"


class ObeyingTransport(httpx2.BaseTransport):
    """Sends by a wrapped transport what a keeper lets pass; several may have one keeper."""

    def __init__(self, wrapped: httpx2.BaseTransport, keeper: Keeper) -> None:
        """Wrap a transport."""
        self._wrapped = wrapped
        self.keeper = keeper

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request if it is allowed and when it is time.

        Raises `Disallowed` for what is forbidden, `MustWait` for what would take too long, and what
        the wrapped transport raises.
        """
        if ACCESS_ONLY not in request.extensions:
            return self.keeper.obey(request, self._wrapped.handle_request)
        url = judged_as(request.url)
        found = self.keeper.access(url, self._wrapped.handle_request)
        return httpx2.Response(204, extensions={ACCESS_ONLY: (url, *found)})

    def close(self) -> None:
        """Close the wrapped transport."""
        self._wrapped.close()


class RobotsTransport(ObeyingTransport):
    """Wraps a transport of httpx2, and sends only what robots.txt allows, when it is time.

    A client sends each hop of a redirect through its transport, so each is judged by the file of its own
    origin. Every request carries `user_agent` and the contact, whatever headers the client sets. URLs of
    other schemes than http and https pass.

    The arguments are those of `Robot`. Raises `InvalidArgument` for a robot without a name or a
    contact, or for a policy that does not exist, `ValueError` for a negative delay.
    """

    def __init__(
        self,
        wrapped: httpx2.BaseTransport,
        user_agent: str,
        *,
        contact: str,
        agent: str | Sequence[str] | None = None,
        policy: str | AccessPolicy = "rfc9309",
        store: Store | None = None,
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
        keeper = Keeper(
            identity,
            policy=access_policy(policy),
            store=MemoryStore() if store is None else store,
            delay=delay,
            crawl_delay_cap=crawl_delay_cap,
            max_wait=max_wait,
            robots_timeout=robots_timeout,
            log=self._log,
            clock=clock,
        )
        super().__init__(wrapped, keeper)

    def also(self, wrapped: httpx2.BaseTransport) -> ObeyingTransport:
        """Wrap another transport for the same robot, as for a proxy: it shares rules, turns and log."""
        return ObeyingTransport(wrapped, self.keeper)

    def close(self) -> None:
        """Close the wrapped transport and the log; a store that was given is its owner's to close."""
        try:
            super().close()
        finally:
            if self._log is not None:
                self._log.close()
