"""Reads pages for a robot: fetches what their sites say of usage, and leaves out what it may not use."""

import threading
from collections import OrderedDict
from typing import Any

import httpx2

from ...errors import InvalidURL
from ...politeness._async.concurrency import Gate, aside
from ...politeness.page import LIMIT, Page, Requirement, judged
from ...politeness.records import without_password
from ...politeness.site_files import SiteFiles
from ...protocol.access.outcome import Access
from ...protocol.origin import Origin
from ...protocol.robotstxt.fields.vocabulary import Vocabulary
from ...protocol.robotstxt.rules import Rules
from ...protocol.text import printable
from ...protocol.usage.ai_txt import CATEGORY as TRAINING
from ...protocol.usage.ai_txt import ai_txt
from ...protocol.usage.answer import usage
from ...protocol.usage.tdmrep import CATEGORIES as MINING
from ...protocol.usage.tdmrep import tdmrep
from ..failures import FAULTS, said_by
from ..refusals import Disallowed, MustWait, Unreachable, UsageDisallowed
from .keeper import ANY_USE, AsyncKeeper
from .sending import Fetch
from .transport import ACCESS_ONLY

__all__ = ["AsyncReader"]

#: The files of so many origins are kept ready, for so many seconds; where one could not be had, for fewer.
_READY, _LIFETIME, _RETRY = 4096, 86_400.0, 600.0

#: The uses that they speak of.
_OF_FILES = frozenset((TRAINING, *MINING))

#: Seconds to wait for another's request for the files.
_PATIENCE = 600.0

#: So much of a site's file is read, in octets; robots.txt files have the same limit.
_LIMIT = 512 * 1024

#: Seconds for the body of a page, and of a site's file.
_PAGE_TIMEOUT, _FILE_TIMEOUT = 300.0, 30.0

#: A page of more octets is read where that keeps nobody else waiting.
_QUICK = 1 << 14


class _Known:
    """What is known of the files of one origin, until when, and the queue of those who want to know."""

    __slots__ = ("expires", "files", "gate")

    def __init__(self) -> None:
        self.gate = Gate()
        self.files: SiteFiles | None = None
        self.expires = 0.0


class AsyncReader:
    """Reads what one robot fetches.

    `fetch` sends a request as the client does, and streams the response. Each origin is asked for its
    `tdmrep.json` and `ai.txt` too, once a day, unless the robot respects only uses that they say nothing of.
    """

    def __init__(
        self, fetch: Fetch, keeper: AsyncKeeper, requirement: Requirement, vocabulary: Vocabulary
    ) -> None:
        """Take what `AsyncRobot` was made with."""
        self._fetch = fetch
        self._keeper = keeper
        self._requirement = requirement
        self._vocabulary = vocabulary
        uses = requirement.categories
        self._needs_files = not uses or not _OF_FILES.isdisjoint(uses)
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()
        keeper.require(requirement, vocabulary, self.prepare)

    async def access(self, request: httpx2.Request) -> tuple[str, Access, Rules | None]:
        """Give the URL of a request as it is judged, what is known of its origin, and the robot's rules."""
        asked = httpx2.Request("GET", request.url, extensions={ACCESS_ONLY: True})
        response = await self._fetch(asked, auth=None, follow_redirects=False)
        found: tuple[str, Access, Rules | None] = response.extensions[ACCESS_ONLY]
        return found

    async def page(self, request: httpx2.Request, **options: Any) -> Page:
        """Fetch and read a page, at most so much of it as pages are read (15 MB).

        Raises `UsageDisallowed` for one that is kept from what the robot would use it for.
        """
        if not self._requirement.categories:  # or else the keeper does, at each hop
            await self.prepare(request)
        response = await self._fetch(request, **options)
        return await self.read(response, await self._taken(response, LIMIT, _PAGE_TIMEOUT))

    async def read(self, response: httpx2.Response, body: bytes) -> Page:
        """Read a response whose body is this; raises as `page` does."""
        page = await self._judge(response, body)
        self._refuse(response.request, page)
        self._keeper.note_page(response.request, page, refused=None)
        return page

    async def require(self, response: httpx2.Response, body: bytes) -> None:
        """Raise `UsageDisallowed` for a response that is kept from a use; only that is written down."""
        self._refuse(response.request, await self._judge(response, body))

    async def prepare(self, request: httpx2.Request) -> None:
        """Ask the origin of a request for its files, before a page is fetched that they may speak of.

        Nothing is asked if the page is not going to be fetched anyway. Raises `UsageDisallowed` if they
        cannot be had and the robot has to respect them: the page is not fetched then.
        """
        if not self._needs_files:
            return
        url, access, rules = await self.access(request)
        names = self._keeper.identity.names
        robots = access if rules is None else rules
        said = usage(url, agent=names, robots=robots, vocabulary=self._vocabulary)
        if not said.crawlable or self._requirement.broken(said) is not None:
            return  # it will be refused where it is sent
        files = await self.files(url)
        if not self._requirement.categories:
            return
        if files.failure is not None:
            category = next(each for each in self._requirement.categories if each in _OF_FILES)
            why = f"whether {category} is disallowed is not known: {files.failure}"
        else:  # of the two, tdmrep.json can be taken back by the page
            said = usage(url, agent=names, robots=robots, ai_txt=files.ai_txt, vocabulary=self._vocabulary)
            broken = self._requirement.broken(said)
            if broken is None:
                return
            category, why = broken, said.explain(broken)
        self._keeper.note_left_out(request, said, why)
        raise UsageDisallowed(request, category, said, why)

    async def files(self, url: str) -> SiteFiles:
        """Give the files of the origin of a URL, asked for if they are not known.

        Whoever asks while another does waits for the answer. Raises `MustWait` if that takes too long.
        """
        origin = str(Origin.of(url))
        with self._lock:
            known = self._known.get(origin)
            if known is None:
                known = self._known[origin] = _Known()
                if len(self._known) > _READY:
                    self._known.popitem(last=False)
            self._known.move_to_end(origin)
        if known.files is None or self._keeper.clock.time() >= known.expires:
            await self._learn(origin, known)
        assert known.files is not None  # noqa: S101  # learnt
        return known.files

    async def _learn(self, origin: str, known: "_Known") -> None:
        if not known.gate.pass_now() and not await known.gate.acquire(_PATIENCE):
            request = httpx2.Request("GET", f"{origin}/ai.txt")
            raise MustWait(request, 0.0, "another request for the site's files is under way")
        try:
            if known.files is None or self._keeper.clock.time() >= known.expires:
                files = await self._ask(origin)
                lifetime = _LIFETIME if files.failure is None else _RETRY
                known.expires = self._keeper.clock.time() + lifetime
                known.files = files
        finally:
            known.gate.release()

    async def _ask(self, origin: str) -> SiteFiles:
        """Ask an origin for its files, unless one cannot be had: then not for the next."""
        bodies: list[bytes | None] = []
        for path in ("/.well-known/tdmrep.json", "/ai.txt"):
            try:
                bodies.append(await self._file(f"{origin}{path}"))
            except MustWait:
                raise
            except (httpx2.TooManyRedirects, InvalidURL, httpx2.InvalidURL, httpx2.UnsupportedProtocol):
                bodies.append(None)  # it is redirected to nowhere, so there is none
            except FAULTS as failure:
                return SiteFiles(None, None, printable(f"{origin}{path} cannot be had: {said_by(failure)}"))
        mining, training = bodies
        return SiteFiles(
            None if mining is None else tdmrep(mining), None if training is None else ai_txt(training), None
        )

    async def _file(self, url: str) -> bytes | None:
        """Give a file of a site, `None` if it has none or keeps it from robots.

        Raises one of `FAULTS` for what cannot be had now: what it would have said may be known later.
        """
        request = httpx2.Request("GET", url, extensions={ANY_USE: True})
        try:
            response = await self._fetch(request, auth=None, follow_redirects=True)
        except Unreachable:
            raise
        except Disallowed:
            return None
        try:
            if response.status_code == 429 or response.status_code >= 500:
                raise httpx2.RemoteProtocolError(f"its server answers {response.status_code}")
            if not response.is_success:
                return None
            body = await self._taken(response, _LIMIT, _FILE_TIMEOUT)
        finally:
            await response.aclose()
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        # A server that answers every address with a page of its own has no such file.
        return None if media == "text/html" else body

    def _refuse(self, request: httpx2.Request, page: Page) -> None:
        """Raise if a page is kept from a use, and write it down."""
        unmet = self._requirement.unmet(page)
        if unmet is not None:
            category, why = unmet
            self._keeper.note_page(request, page, refused=why)
            raise UsageDisallowed(request, category, page.usage, why, page.replace(body=b""))

    async def _judge(self, response: httpx2.Response, body: bytes) -> Page:
        _, access, rules = await self.access(httpx2.Request("GET", response.url))
        url = without_password(response.url)
        files = await self.files(url) if self._needs_files else None

        def judge() -> Page:
            return judged(
                url,
                tuple(without_password(hop.url) for hop in response.history),
                response.status_code,
                response.headers.multi_items(),
                body,
                agent=self._keeper.identity.names,
                now=self._keeper.clock.time(),
                robots=access if rules is None else rules,
                files=files,
                vocabulary=self._vocabulary,
            )

        return await aside(judge) if len(body) > _QUICK else judge()

    async def _taken(self, response: httpx2.Response, limit: int, seconds: float) -> bytes:
        """Read the body of a response until there is more than is wanted, and close it.

        Raises `httpx2.ReadTimeout` if that takes too long: a client's own begins anew with each octet.
        """
        deadline = self._keeper.clock.time() + seconds
        body = bytearray()
        enough = late = False
        try:
            async for chunk in response.aiter_bytes():
                if enough or late:  # a stream that closing does not end
                    break
                body += chunk
                enough = len(body) > limit
                late = self._keeper.clock.time() > deadline
                if enough or late:  # Not left in the middle, which async generators take amiss.
                    await response.aclose()
        except FAULTS:
            if not (enough or late):
                raise
        finally:
            await response.aclose()
        if late:
            raise httpx2.ReadTimeout(f"the body takes more than {seconds:g} s", request=response.request)
        return bytes(body)
