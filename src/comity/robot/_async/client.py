"""An HTTP client that cannot misbehave: it asks each site first, and keeps its distance."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx2

from ...protocol.access import Access
from ...protocol.access_policy import AccessPolicy
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import Verdict
from .. import pace
from ..proxies import proxies_of
from ..store import AsyncStore
from .running import Clock
from .transport import ACCESS_ONLY, AsyncRobotsTransport

__all__ = ["AsyncRobot"]


class AsyncRobot(httpx2.AsyncClient):
    """A client of httpx2 that fetches only what sites allow, and no faster than they allow it.

    `user_agent` is the whole User-Agent header; the product token that it begins with, or `agent`, is
    what robots.txt files know the robot by. `contact` is an e-mail address (sent as `From`) or the
    address of a page about the robot.

    Everything that a client of httpx2 does is done here, with these promises:

    - no request goes out that the robots.txt of its origin forbids, at any hop of a redirect; `Disallowed`
      is raised instead, and carries the verdict;
    - one request at a time to an origin, and from the end of one to the start of the next the longest of
      `delay` seconds, Crawl-delay (at most `crawl_delay_cap` seconds), Request-rate, Retry-After and
      back-off; none outside of Visit-time. A request that would wait for more than `max_wait` seconds
      raises `MustWait` instead, at once;
    - a robots.txt is asked for once in its lifetime, whoever shares `store`. That request counts, so the
      first page of a site comes `delay` seconds after it;
    - `log` (a path, or a function that takes each record) gets a line of JSON for each request that was
      made, and for each that was not.

    `policy` says what each answer to a request for robots.txt means (see `comity.AccessPolicy`);
    `robots_timeout` is for all of one such request, in seconds. `store` is in memory by default; one that
    is given is its owner's to close. `transport` is wrapped; by default it is one of httpx2, made with
    `verify`, `cert`, `http2`, `limits` and `proxy` or the environment's proxies. Redirects are followed.
    The other arguments are those of `httpx2.AsyncClient`.

    Raises `InvalidIdentity` for a robot without a name or a contact, `UnknownPolicy` for a policy that
    does not exist, `ValueError` for a negative delay. A request raises `StoreUnavailable` where the store
    cannot be reached: without a turn nothing is sent.
    """

    def __init__(
        self,
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
        transport: httpx2.AsyncBaseTransport | None = None,
        proxy: str | httpx2.Proxy | None = None,
        trust_env: bool = True,
        verify: Any = True,
        cert: Any = None,
        http2: bool = False,
        limits: httpx2.Limits | None = None,
        timeout: Any = 30.0,
        follow_redirects: bool = True,
        **client: Any,
    ) -> None:
        """Make a robot."""

        def route(through: str | httpx2.Proxy | None) -> httpx2.AsyncBaseTransport:
            return httpx2.AsyncHTTPTransport(
                verify=verify,
                cert=cert,
                trust_env=trust_env,
                http2=http2,
                limits=limits or httpx2.Limits(max_connections=100, max_keepalive_connections=20),
                proxy=through,
            )

        first = AsyncRobotsTransport(
            route(proxy) if transport is None else transport,
            user_agent,
            contact=contact,
            agent=agent,
            policy=policy,
            store=store,
            delay=delay,
            crawl_delay_cap=crawl_delay_cap,
            max_wait=max_wait,
            robots_timeout=robots_timeout,
            log=log,
            clock=clock,
        )
        detours = proxies_of(trust_env) if transport is None and proxy is None else {}
        super().__init__(
            transport=first,
            mounts={pattern: first.also(route(through)) for pattern, through in detours.items()},
            trust_env=trust_env,
            timeout=timeout,
            follow_redirects=follow_redirects,
            **client,
        )

    async def allowed(self, url: str) -> bool:
        """Say whether the robot may fetch a URL; asks its origin for robots.txt if that is not known."""
        return (await self.check(url)).allowed

    async def check(self, url: str) -> Verdict:
        """Say whether the robot may fetch a URL, and why; see `allowed`.

        Raises `InvalidURL` for a URL without a host, `MustWait` if the origin cannot be asked in time.
        """
        asked, access, rules, names = await self._access(url)
        return access.check(asked, agent=names) if rules is None else rules.check(asked)

    async def access(self, url: str) -> Access:
        """Give what the origin of a URL answered when asked for its robots.txt; see `comity.Access`."""
        return (await self._access(url))[1]

    async def _access(self, url: str) -> tuple[str, Access, Rules | None, tuple[str, ...]]:
        """Give a URL as it would be sent, with `base_url` and without dots, and what is known of it."""
        parts = httpx2.URL(url)
        # What has a scheme and no host, such as "mailto:", the client would take for a path.
        build = httpx2.Request if parts.scheme and not parts.host else self.build_request
        request = build("GET", url, extensions={ACCESS_ONLY: True})
        response = await self.send(request, auth=None, follow_redirects=False)
        found: tuple[str, Access, Rules | None, tuple[str, ...]] = response.extensions[ACCESS_ONLY]
        return found
