"""Asking sites for their robots.txt, and for a page if it may be, as commands do when a person types them."""

import os
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from types import TracebackType
from typing import Self

import click
import httpx2

from ..errors import Disallowed, InvalidURL, MustWait, StoreUnavailable, Unreachable
from ..politeness import pace
from ..politeness.identity import Identity
from ..politeness.page import Page, Requirement, SiteFiles
from ..politeness.stores import MemoryStore, SQLiteStore, Store
from ..protocol.access.outcome import Access
from ..protocol.access.policy import access_policy
from ..protocol.robotstxt.fields.vocabulary import CURRENT
from ..protocol.robotstxt.selection import names_of
from ..protocol.robotstxt.verdict import printable
from ..robot._sync.keeper import Keeper
from ..robot._sync.reader import Reader
from ..robot._sync.sending import with_deadline
from ..robot._sync.transport import ObeyingTransport
from ..robot.failures import FAULTS, said_by
from ..robot.proxies import proxies_of

__all__ = ["Asker", "NoAnswer"]

#: Seconds after which a person would rather be told than wait.
_PATIENCE = 60.0

#: So many requests are made at the most for one page.
_REDIRECTS = 6

#: The most octets of a page: as many as a sitemap may have (sitemaps.org), packed or not.
_LARGEST = 52_428_800

#: Seconds for all of one robots.txt.
_TIMEOUT = 20.0

#: Seconds for a page, or for the other files of its site, turns that are waited for included.
_PAGE_TIMEOUT = 180.0


class NoAnswer(click.ClickException):
    """A site that could not be asked in time."""

    exit_code = 3


class Asker:
    """Asks for robots.txt files, each once, and keeps what comes back.

    `kept` says whether answers of earlier commands will do, and are kept for later ones: in the user's
    cache directory, or in the file that the variable COMITY_STORE names. Only robots.txt files are asked
    for, and single pages that a person names, so the User-Agent names the program and no contact is
    required.
    """

    def __init__(self, user_agent: str, policy: str, *, kept: bool) -> None:
        """Get ready to ask; nothing is sent yet."""
        header = user_agent.strip() or f"Comity/{version('comity')}"
        names = names_of(header)
        if not all(names) or not header.isascii() or not header.isprintable():
            raise click.BadParameter(f"{header!r} is no User-Agent header", param_hint="--user-agent")
        self._client = httpx2.Client(follow_redirects=False)  # with the environment's proxies
        self._identity = Identity(header, names, "")
        self._policy = access_policy(policy)
        self._store: Store = SQLiteStore(os.environ.get("COMITY_STORE") or None) if kept else MemoryStore()
        self._keeper = self._keeper_over(self._store)
        self._reader: Reader | None = None
        self._pages: httpx2.Client | None = None

    @property
    def name(self) -> str:
        """The name that robots.txt files know the program by."""
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

    def ask(self, url: str) -> Access:
        """Give what the origin of a URL answered.

        Raises `InvalidURL` for a URL that has none, and `NoAnswer` if the site cannot be asked now.
        """
        try:
            return self._ask(url)
        except StoreUnavailable as error:
            click.echo(f"Note: answers are not kept: {error}", err=True)
            self._store = MemoryStore()
            self._keeper = self._keeper_over(self._store)
            return self._ask(url)

    def page(self, url: str) -> tuple[Page, SiteFiles]:
        """Fetch and read a page as a robot of this name, and its site's files about the use of content.

        Redirects are not followed.

        Nothing is fetched that the site keeps from this name. Raises `Disallowed` for that, `InvalidURL` for
        a URL that nothing can be fetched from, and `NoAnswer` for what cannot be had now.
        """
        try:
            request = httpx2.Request("GET", url)
            reader = self._reading()
            page = with_deadline(_PAGE_TIMEOUT, request, reader.page)
            return page, with_deadline(_PAGE_TIMEOUT, request, lambda _: reader.files(page.url))
        except (Unreachable, MustWait) as error:
            raise NoAnswer(printable(str(error))) from None
        except Disallowed:
            raise
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None
        except FAULTS as error:
            raise NoAnswer(printable(said_by(error))) from None

    def _reading(self) -> Reader:
        """Give what reads pages, with the environment's proxies."""
        if self._reader is None:
            keeper = self._keeper

            def route(proxy: str | None) -> ObeyingTransport:
                return ObeyingTransport(httpx2.HTTPTransport(proxy=proxy), keeper)

            self._pages = httpx2.Client(
                transport=route(None),
                mounts={pattern: route(proxy) for pattern, proxy in proxies_of(True).items()},
                timeout=_TIMEOUT,
                follow_redirects=False,
            )
            fetch = partial(self._pages.send, stream=True)
            self._reader = Reader(fetch, keeper, Requirement((), False), CURRENT)
        return self._reader

    def read(self, url: str) -> Iterator[bytes]:
        """Fetch a page as robots should: if the site allows it, and when it is time; give it in parts.

        Redirects are followed. Raises `InvalidURL` for what is no URL of the web, and `NoAnswer` for
        whatever else keeps the page from being had.
        """
        try:
            for _ in range(_REDIRECTS):
                request = self._client.build_request("GET", url)
                if request.url.scheme not in ("http", "https") or not request.url.host:
                    raise InvalidURL(f"{url[:200]!r} is no URL of the web")
                response = self._keeper.obey(request, self._send)
                with closing(response):
                    if response.next_request is None:
                        if response.status_code != 200:
                            raise NoAnswer(f"{url[:200]} answers with status {response.status_code}")
                        size = 0
                        for part in response.iter_bytes():
                            size += len(part)
                            if size > _LARGEST:
                                raise NoAnswer(f"{url[:200]} has more than {_LARGEST:,} octets")
                            yield part
                        return
                    url = str(response.next_request.url)
        except httpx2.InvalidURL as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None
        except (Disallowed, MustWait, httpx2.HTTPError) as error:
            raise NoAnswer(f"{url[:200]} cannot be had: {type(error).__name__}: {error}") from None
        raise NoAnswer(f"{url[:200]} is one of too many redirects")

    def _ask(self, url: str) -> Access:
        try:
            return self._keeper.access(url, self._send)[0]
        except MustWait as early:
            raise NoAnswer(str(early)) from None
        except httpx2.InvalidURL as error:
            raise InvalidURL(f"{url[:200]!r}: {error}") from None

    def _send(self, request: httpx2.Request) -> httpx2.Response:
        return self._client.send(request, stream=True)

    def _keeper_over(self, store: Store) -> Keeper:
        return Keeper(
            self._identity,
            policy=self._policy,
            store=store,
            delay=pace.FLOOR,
            crawl_delay_cap=pace.CAP,
            max_wait=_PATIENCE,
            robots_timeout=_TIMEOUT,
            log=None,
            clock=None,
        )
