"""The HTTP client of the commands: it fetches robots.txt files, and single pages that a person names."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from types import TracebackType
from typing import Self

import click
import httpx2

from ..errors import Disallowed, InvalidURL, MustWait, StoreUnavailable, Unreachable
from ..politeness._sync.governor import RequestGovernor
from ..politeness.identity import Identity
from ..politeness.page import Page
from ..politeness.settings import PolitenessSettings
from ..politeness.site_files import SiteFiles
from ..politeness.stores import MemoryStore, SQLiteStore, Store
from ..protocol.access.outcome import Access
from ..protocol.access.policy import access_policy
from ..protocol.robotstxt.selection import names_of
from ..protocol.text import printable
from ..robot._sync.reader import Reader
from ..robot._sync.sending import with_deadline
from ..robot._sync.transport import ObeyingTransport
from ..robot.failures import FAULTS, said_by
from ..robot.proxies import proxies_of
from .exit_status import UnreachableSite
from .redirect_chain import RedirectChain

__all__ = ["SiteClient"]

#: Maximum wait, in seconds, before a request may be sent: a person is at the terminal.
_MAX_WAIT = 60.0

#: Maximum size of a download in bytes: that of a sitemap (sitemaps.org), compressed or not.
_LARGEST = 52_428_800

#: Timeout in seconds for one robots.txt.
_TIMEOUT = 20.0

#: Timeout in seconds for a page, or for the other files of its site, including waits between requests.
_PAGE_TIMEOUT = 180.0


class SiteClient:
    """Fetches robots.txt files, each once, and caches the answers.

    With `cached`, the cache is shared with other commands: a file in the user's cache directory, or the
    file that the variable COMITY_STORE names. The User-Agent header names only the program, without a
    contact, because a person starts each request.
    """

    def __init__(self, user_agent: str, policy: str, *, cached: bool) -> None:
        """Prepare the client; nothing is sent yet."""
        header = user_agent.strip() or f"Comity/{version('comity')}"
        names = names_of(header)
        if not all(names) or not header.isascii() or not header.isprintable():
            raise click.BadParameter(
                f"{header!r}: not a valid User-Agent header; write one such as ExampleBot/1.0",
                param_hint="--user-agent",
            )
        self._client = httpx2.Client(follow_redirects=False)  # with the environment's proxies
        self._identity = Identity(header, names, "")
        self._policy = access_policy(policy)
        self._store: Store = SQLiteStore(os.environ.get("COMITY_STORE") or None) if cached else MemoryStore()
        self._transport = self._transport_over(self._store)
        self._reader: Reader | None = None
        self._pages: httpx2.Client | None = None

    @property
    def name(self) -> str:
        """The product token of the User-Agent header."""
        return self._identity.names[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        if self._pages is not None:
            self._pages.close()
        self._store.close()

    def access(self, url: str) -> Access:
        """Return the access to the origin of a URL, fetching its robots.txt if needed.

        Raises `InvalidURL` for a URL without an origin, and `UnreachableSite` if no request may be sent now.
        """
        try:
            return self._access(url)
        except StoreUnavailable as error:
            click.echo(f"Note: the cache is unavailable, so answers are not stored: {error}", err=True)
            self._store = MemoryStore()
            self._transport = self._transport_over(self._store)
            return self._access(url)

    def page(self, url: str) -> tuple[Page, SiteFiles]:
        """Fetch a page, and its site's files about the use of content, without following redirects.

        Raises `Disallowed` if robots.txt forbids it, `InvalidURL` for a URL that cannot be fetched, and
        `UnreachableSite` if the page is unavailable now.
        """
        try:
            request = httpx2.Request("GET", url)
            reader = self._page_reader()
            page = with_deadline(_PAGE_TIMEOUT, request, reader.page)
            return page, with_deadline(_PAGE_TIMEOUT, request, lambda _: reader.files(page.url))
        except (Unreachable, MustWait) as error:
            raise UnreachableSite(printable(str(error))) from None
        except Disallowed:
            raise
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None
        except FAULTS as error:
            raise UnreachableSite(printable(said_by(error))) from None

    def _page_reader(self) -> Reader:
        """Return the reader of pages, which uses the environment's proxies."""
        if self._reader is None:
            main = self._transport.also(httpx2.HTTPTransport())
            self._pages = httpx2.Client(
                transport=main,
                mounts={
                    pattern: self._transport.also(httpx2.HTTPTransport(proxy=proxy))
                    for pattern, proxy in proxies_of(True).items()
                },
                timeout=_TIMEOUT,
                follow_redirects=False,
            )
            fetch = partial(self._pages.send, stream=True)
            self._reader = Reader(fetch, self._transport.rules, self._transport.governor)
        return self._reader

    def download(self, url: str) -> Iterator[bytes]:
        """Yield the body of a URL in parts, if robots.txt allows it, following redirects.

        Raises `InvalidURL` for a URL that is not http or https, and `UnreachableSite` for any other failure.
        """
        chain = RedirectChain(url)
        try:
            while True:
                url = chain.urls[-1]
                request = self._client.build_request("GET", url)
                if request.url.scheme not in ("http", "https") or not request.url.host:
                    raise InvalidURL(f"{url[:200]!r}: not an http or https URL")
                with closing(self._transport.handle_request(request)) as response:
                    if chain.follow(response.status_code, response.headers.items()):
                        continue
                    if response.status_code != 200:
                        raise UnreachableSite(f"{url[:200]}: the server answered {response.status_code}")
                    yield from _limited(response.iter_bytes(), url)
                    return
        except httpx2.InvalidURL as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None
        except (Disallowed, MustWait, httpx2.HTTPError) as error:
            raise UnreachableSite(f"{url[:200]}: unavailable: {type(error).__name__}: {error}") from None

    def _access(self, url: str) -> Access:
        try:
            return self._transport.rules(httpx2.URL(url))[1].access
        except MustWait as early:
            raise UnreachableSite(str(early)) from None
        except httpx2.InvalidURL as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None

    def _transport_over(self, store: Store) -> ObeyingTransport:
        settings = PolitenessSettings.of(
            self._identity, policy=self._policy, max_wait=_MAX_WAIT, robots_timeout=_TIMEOUT
        )
        return ObeyingTransport(_ClientTransport(self._client), RequestGovernor(settings, store=store))


class _ClientTransport(httpx2.BaseTransport):
    """A transport that sends by a client, with the proxies of the environment."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client = client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._client.send(request, stream=True)


def _limited(parts: Iterable[bytes], url: str) -> Iterator[bytes]:
    """Yield the parts of a download, or raise `UnreachableSite` if it is too large."""
    size = 0
    for part in parts:
        size += len(part)
        if size > _LARGEST:
            raise UnreachableSite(f"{url[:200]}: larger than {_LARGEST:,} bytes")
        yield part
