"""An HTTP client that cannot misbehave: it asks each site first, and keeps its distance."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import httpx2

from ...politeness import pace
from ...politeness._async.concurrency import Clock
from ...politeness.page import Page, Requirement
from ...politeness.stores import AsyncStore
from ...protocol.access.outcome import Access
from ...protocol.access.policy import AccessPolicy
from ...protocol.robotstxt.fields.vocabulary import CURRENT, Vocabulary, vocabulary_of
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.verdict import Verdict
from ...protocol.usage.answer import usage
from ..proxies import proxies_of
from .reader import AsyncReader
from .transport import AsyncRobotsTransport

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
      made, for each that was not, and for each page that was read;
    - nothing is handed out that its site keeps from a use in `respect`, the categories of `comity.usage`
      that the robot uses content for, such as "train-ai"; `UsageDisallowed` is raised instead. With
      `only_if_allowed`, a site has to allow the use in so many words. What robots.txt and the header say is
      known before the content is read; what the page says, `tdmrep.json` and `ai.txt`, is known to `get`
      and its like and to `page`, and to a `stream` without what the page says. Where one of these cannot be
      had, nobody knows, and nothing is handed out.

    `policy` says what each answer to a request for robots.txt means (see `comity.AccessPolicy`);
    `robots_timeout` is for all of one such request, in seconds. `store` is in memory by default; one that
    is given is its owner's to close. `transport` is wrapped; by default it is one of httpx2, made with
    `verify`, `cert`, `http2`, `limits` and `proxy` or the environment's proxies. Redirects are followed.
    The other arguments are those of `httpx2.AsyncClient`.

    Raises `InvalidArgument` for a robot without a name or a contact, for a policy that does not exist,
    for uses that no vocabulary knows,
    `ValueError` for a negative delay, or for `only_if_allowed` without a use. A request raises
    `StoreUnavailable` where the store cannot be reached: without a turn nothing is sent.
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
        respect: str | Sequence[str] = (),
        only_if_allowed: bool = False,
        vocabulary: str | Vocabulary = CURRENT,
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
        if only_if_allowed and not respect:
            raise ValueError("only_if_allowed is about the uses that respect names, and it names none")
        requirement = Requirement((respect,) if isinstance(respect, str) else tuple(respect), only_if_allowed)
        labels = vocabulary_of(vocabulary)
        for category in requirement.categories:
            usage("/", agent=(), vocabulary=labels).preference(category)  # complains now if it must
        self._reader = AsyncReader(partial(super().send, stream=True), first.keeper, requirement, labels)
        self._names = first.keeper.identity.names
        self._requires = bool(requirement.categories)

    async def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,
        auth: Any = httpx2.USE_CLIENT_DEFAULT,
        follow_redirects: Any = httpx2.USE_CLIENT_DEFAULT,
    ) -> httpx2.Response:
        """Send a request, as a client of httpx2 does; all other methods send by this one."""
        if not self._requires:
            return await super().send(request, stream=stream, auth=auth, follow_redirects=follow_redirects)
        response = await super().send(request, stream=True, auth=auth, follow_redirects=follow_redirects)
        try:
            if not stream:
                await response.aread()
            await self._reader.require(response, b"" if stream else response.content)
        except BaseException:
            await response.aclose()
            raise
        return response

    async def page(self, url: str, **arguments: Any) -> Page:
        """Get a page and read it: what it lets the robot do, its links, and what it may be used for.

        At most 15 MB of it are fetched. `arguments` are those of `get`. Raises what `get` raises.
        """
        options = {name: arguments.pop(name) for name in ("auth", "follow_redirects") if name in arguments}
        return await self._reader.page(self.build_request("GET", url, **arguments), **options)

    async def read(self, response: httpx2.Response) -> Page:
        """Read the page in a response that this robot was given; its body has to be read by then.

        Raises `UsageDisallowed` for one that is kept from what the robot would use it for.
        """
        return await self._reader.read(response, response.content)

    async def allowed(self, url: str) -> bool:
        """Say whether the robot may fetch a URL; asks its origin for robots.txt if that is not known."""
        return (await self.check(url)).allowed

    async def check(self, url: str) -> Verdict:
        """Say whether the robot may fetch a URL, and why; see `allowed`.

        Raises `InvalidURL` for a URL without a host, `MustWait` if the origin cannot be asked in time.
        """
        asked, access, rules = await self._access(url)
        return access.check(asked, agent=self._names) if rules is None else rules.check(asked)

    async def access(self, url: str) -> Access:
        """Give what the origin of a URL answered when asked for its robots.txt; see `comity.Access`."""
        return (await self._access(url))[1]

    async def _access(self, url: str) -> tuple[str, Access, Rules | None]:
        """Give a URL as it would be sent, with `base_url` and without dots, and what is known of it."""
        parts = httpx2.URL(url)
        # What has a scheme and no host, such as "mailto:", the client would take for a path.
        build = httpx2.Request if parts.scheme and not parts.host else self.build_request
        return await self._reader.access(build("GET", url))
