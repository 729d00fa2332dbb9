# Generated from _async/client.py by `make generate`; change that file.
"""A client of httpx2 that obeys robots.txt and observes delays."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import httpx2

from ...politeness import pace
from ...politeness._sync.governor import RequestGovernor
from ...politeness.concurrency._sync import Clock
from ...politeness.identity import Identity
from ...politeness.origin_state import AgentRules
from ...politeness.page import Page
from ...politeness.settings import MAX_WAIT, ROBOTS_TIMEOUT, PolitenessSettings
from ...politeness.stores import Store
from ...protocol.access.outcome import Access
from ...protocol.access.policy import AccessPolicy
from ...protocol.robotstxt.fields.vocabulary import CURRENT, Vocabulary
from ...protocol.robotstxt.verdict import Verdict
from ..proxies import proxies_of
from .reader import Reader
from .transport import ObeyingTransport

#: The default limits of the connection pool.
_LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20)


class Robot(httpx2.Client):
    """A client of httpx2 that fetches only what sites allow, no faster than they allow it.

    `user_agent` is the whole User-Agent header. robots.txt files name the robot by its product token, the
    beginning of the header, or by `agent`. `contact` is an e-mail address (sent as `From`) or the URL of a
    page about the robot.

    In addition to the client of httpx2:

    - A request that the robots.txt of its origin forbids is not sent. `Disallowed` is raised, with the
      verdict. This holds for each step of a redirect.
    - An origin gets one request at a time. From the end of one to the start of the next, the robot waits for
      the longest of `delay`, Crawl-delay (at most `crawl_delay_cap` seconds), Request-rate, Retry-After and
      back-off. Visit-time is observed. If the wait is longer than `max_wait` seconds, `MustWait` is raised at
      once.
    - A robots.txt is requested once in its lifetime by all robots that share `store`. That request counts, so
      the first page of a site follows `delay` seconds later.
    - `log`, a path or a function, gets a record of each request that was sent or not sent, and of each page
      that was read.
    - `respect` names the uses that the robot makes of content, such as "train-ai" (see `comity.usage`). If a
      site disallows one of them, or if that is not known, `UsageDisallowed` is raised and no content is
      returned. With `only_if_allowed`, a site has to allow the use explicitly. A `stream` is checked before
      its page is read, so without the statements of the page itself.

    `policy` decides what each answer to a request for robots.txt means (see `comity.AccessPolicy`).
    `robots_timeout` is the timeout in seconds for one such request. `store` is in memory by default; a store
    that is passed in is closed by its creator. `transport` is wrapped. By default it is one of httpx2, made
    with `verify`, `cert`, `http2`, `limits` and `proxy`, or the proxies of the environment. Redirects are
    followed. The other arguments are those of `httpx2.Client`.

    Raises `InvalidArgument` for a robot without a name or a contact, for a policy that does not exist, and
    for uses that no vocabulary has. Raises `ValueError` for a negative delay, and for `only_if_allowed`
    without `respect`. A request raises `StoreUnavailable` if the store is unavailable: without a lease
    nothing is sent.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        contact: str,
        agent: str | Sequence[str] | None = None,
        policy: str | AccessPolicy = "rfc9309",
        store: Store | None = None,
        delay: float = pace.FLOOR,
        crawl_delay_cap: float = pace.CAP,
        max_wait: float = MAX_WAIT,
        robots_timeout: float = ROBOTS_TIMEOUT,
        log: str | os.PathLike[str] | Callable[[Mapping[str, object]], object] | None = None,
        respect: str | Sequence[str] = (),
        only_if_allowed: bool = False,
        vocabulary: str | Vocabulary = CURRENT,
        clock: Clock | None = None,
        transport: httpx2.BaseTransport | None = None,
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
        settings = PolitenessSettings.of(
            Identity.of(user_agent, contact, agent),
            policy=policy,
            delay=delay,
            crawl_delay_cap=crawl_delay_cap,
            max_wait=max_wait,
            robots_timeout=robots_timeout,
            respect=respect,
            only_if_allowed=only_if_allowed,
            vocabulary=vocabulary,
        )
        governor = RequestGovernor(settings, store=store, log=log, clock=clock)
        self._reader = Reader(partial(super().send, stream=True), self._rules_of, governor)
        self._requires = bool(settings.requirement.categories)
        prepare = self._reader.prepare if self._requires else None
        limits = limits or _LIMITS
        options = {"verify": verify, "cert": cert, "trust_env": trust_env, "http2": http2, "limits": limits}
        wrapped = httpx2.HTTPTransport(proxy=proxy, **options) if transport is None else transport
        main = ObeyingTransport(wrapped, governor, prepare=prepare, owns_governor=True)
        routes = proxies_of(trust_env) if transport is None and proxy is None else {}
        mounts = {
            pattern: main.also(httpx2.HTTPTransport(proxy=route, **options))
            for pattern, route in routes.items()
        }
        client.update(trust_env=trust_env, timeout=timeout, follow_redirects=follow_redirects)
        super().__init__(transport=main, mounts=mounts, **client)

    def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,
        auth: Any = httpx2.USE_CLIENT_DEFAULT,
        follow_redirects: Any = httpx2.USE_CLIENT_DEFAULT,
    ) -> httpx2.Response:
        """Send a request, as a client of httpx2 does; all other methods call this one."""
        if not self._requires:
            return super().send(request, stream=stream, auth=auth, follow_redirects=follow_redirects)
        response = super().send(request, stream=True, auth=auth, follow_redirects=follow_redirects)
        try:
            if not stream:
                response.read()
            self._reader.require(response, b"" if stream else response.content)
        except BaseException:
            response.close()
            raise
        return response

    def page(self, url: str, **arguments: Any) -> Page:
        """Fetch a page and read it: what the robot may do with it, its links, and the permitted uses.

        At most 15 MB of it are fetched. `arguments` are those of `get`. Raises what `get` raises.
        """
        options = {name: arguments.pop(name) for name in ("auth", "follow_redirects") if name in arguments}
        return self._reader.page(self.build_request("GET", url, **arguments), **options)

    def read(self, response: httpx2.Response) -> Page:
        """Read the page in a response of this robot. The body of the response must have been read.

        Raises `UsageDisallowed` if a use that the robot respects is disallowed.
        """
        return self._reader.read(response, response.content)

    def allowed(self, url: str) -> bool:
        """Return whether the robot may fetch a URL. The robots.txt is requested if it is not known."""
        return (self.check(url)).allowed

    def check(self, url: str) -> Verdict:
        """Return whether the robot may fetch a URL, and why; see `allowed`.

        Raises `InvalidURL` for a URL without a host, and `MustWait` if the robots.txt cannot be requested in
        time.
        """
        judged, rules = self._rules_of(self._url(url))
        return rules.check(judged)

    def access(self, url: str) -> Access:
        """Return the outcome of the request for the robots.txt of a URL; see `comity.Access`."""
        return (self._rules_of(self._url(url)))[1].access

    def _url(self, url: str) -> httpx2.URL:
        """Return a URL as it would be sent: with `base_url`, and without dot segments."""
        parts = httpx2.URL(url)
        # The client would read a URL that has a scheme and no host, such as "mailto:", as a path.
        build = httpx2.Request if parts.scheme and not parts.host else self.build_request
        return build("GET", url).url

    def _rules_of(self, url: httpx2.URL) -> tuple[str, AgentRules]:
        if self.is_closed:
            raise RuntimeError("the robot is closed; create another one")
        transport = self._transport_for_url(url)  # with the proxy that the URL has
        assert isinstance(transport, ObeyingTransport)  # noqa: S101  # created above
        return transport.rules(url)
