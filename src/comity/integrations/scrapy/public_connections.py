"""Connections to public addresses only: the download handler, and a resolver that hides other addresses.

Twisted connects to the addresses that its resolver returns. They are checked as they are returned, so a
second answer of the DNS cannot differ from the checked one.
"""

# ruff: noqa: N802, N803  # the names of Twisted's interfaces

from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from ...errors import InvalidURL
from ...protocol import Origin
from ...protocol.special_use import special_use
from .scrapy_errors import NotPublic
from .sites import Sites

if TYPE_CHECKING:
    from collections.abc import Iterator


def host_key(host: str, port: int) -> tuple[str, int] | None:
    """Return a host in one spelling, and its port; None for a host that is not valid.

    >>> host_key("Bücher.example", 80), host_key("0x7f.1", 80), host_key("::1", 80)
    (('xn--bcher-kva.example', 80), ('127.0.0.1', 80), ('::1', 80))
    """
    try:
        return Origin.of(f"x://[{host}]" if ":" in host else f"x://{host}").host.strip("[]"), port
    except InvalidURL:
        return None


@implementer(IHostnameResolver)
class PublicResolver:
    """Resolves names with another resolver, and filters the addresses of hosts that are guarded."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped
        self._guarded: Counter[tuple[str, int] | None] = Counter()
        #: the first refused address of a host that has no public one, and its use
        self._refused: dict[tuple[str, int] | None, tuple[str, str]] = {}

    @classmethod
    def installed(cls) -> "PublicResolver":
        """Return the resolver of the reactor, installed unless it is."""
        from twisted.internet import reactor

        resolver = reactor.nameResolver
        if not isinstance(resolver, cls):
            resolver = cls(resolver)
            reactor.installNameResolver(resolver)
        return resolver

    @contextmanager
    def guard(self, host: str, port: int) -> "Iterator[None]":
        """Hide addresses of a host that are not public. Other hosts of the reactor are not affected."""
        key = host_key(host, port)
        self._guarded[key] += 1
        try:
            yield
        finally:
            self._guarded[key] -= 1
            if not self._guarded[key]:
                del self._guarded[key]
                self._refused.pop(key, None)

    def refused(self, host: str, port: int) -> tuple[str, str] | None:
        """Return the first address of a guarded host, and its use, if all its addresses were hidden."""
        return self._refused.get(host_key(host, port))

    async def resolve(self, host: str, port: int) -> None:
        """Resolve a guarded host, for `refused`."""
        done: Deferred[None] = Deferred()
        receiver: Any = _Completion(done)
        self.resolveHostName(receiver, host, port)
        await maybe_deferred_to_future(done)

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        """Resolve a name; a method of Twisted's interface."""
        key = host_key(hostName, portNumber)
        receiver: Any = resolutionReceiver
        if self._guarded and (key is None or key in self._guarded):
            receiver = _Filter(receiver, self._refused, key)
        resolution: IHostResolution = self._wrapped.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return resolution


@implementer(IResolutionReceiver)
class _Filter:
    """Passes on public addresses."""

    def __init__(
        self,
        receiver: Any,
        refused: dict[tuple[str, int] | None, tuple[str, str]],
        key: tuple[str, int] | None,
    ) -> None:
        self._receiver = receiver
        self._refused = refused
        self._key = key
        self._hidden: tuple[str, str] | None = None
        self._has_public = False

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        try:
            use = special_use(str(address.host))
        except (AttributeError, ValueError):  # not an IP address
            use = "unknown address"
        if use is None:
            self._has_public = True
            self._receiver.addressResolved(address)
        elif self._hidden is None:
            self._hidden = str(getattr(address, "host", address)), use

    def resolutionComplete(self) -> None:
        if self._hidden is not None and not self._has_public:
            self._refused[self._key] = self._hidden
        self._receiver.resolutionComplete()


@implementer(IResolutionReceiver)
class _Completion:
    """Waits for the end of a resolution."""

    def __init__(self, done: Deferred[None]) -> None:
        self._done = done

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        pass

    def addressResolved(self, address: IAddress) -> None:
        pass

    def resolutionComplete(self) -> None:
        self._done.callback(None)


class PublicDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's own handler, with a check of each address that it connects to."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._private = Sites.of(crawler).options.private_hosts

    async def download_request(self, request: Request) -> Response:
        """Download a response. Raises `NotPublic` if the host has no public address.

        A proxy resolves the name itself, so then the name is checked as far as it can be resolved here.
        """
        origin = Origin.of(request.url)
        if str(origin) in self._private or origin.port is None:
            return await super().download_request(request)
        url, host, port = request.url, origin.host.strip("[]"), origin.port
        _check_literal(url, host)
        resolver = PublicResolver.installed()
        with resolver.guard(host, port):
            if request.meta.get("proxy"):
                await resolver.resolve(host, port)
                if (refused := resolver.refused(host, port)) is not None:
                    raise NotPublic(url, host, *refused)
            try:
                return await super().download_request(request)
            except CannotResolveHostError:
                if (refused := resolver.refused(host, port)) is None:
                    raise
                raise NotPublic(url, host, *refused) from None


def _check_literal(url: str, host: str) -> None:
    try:
        use = special_use(host)
    except ValueError:  # a name
        return
    if use is not None:
        raise NotPublic(url, host, host, use)
