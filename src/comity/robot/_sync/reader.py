# Generated from _async/reader.py by `make generate`; change that file instead.
"""Reads pages for a robot: fetches what their sites say of usage, and leaves out what it may not use."""

import threading
from collections import OrderedDict
from typing import Any

import httpx2

from ...protocol.access import Access
from ...protocol.origin import Origin
from ...protocol.robotstxt.rules import Rules
from ...protocol.usage.ai_txt import CATEGORY as TRAINING
from ...protocol.usage.ai_txt import ai_txt
from ...protocol.usage.tdmrep import CATEGORIES as MINING
from ...protocol.usage.tdmrep import tdmrep
from ...protocol.usage.vocabulary import Vocabulary
from ..failures import FAULTS
from ..page import LIMIT, Page, Requirement, SiteFiles, judged
from ..refusals import Disallowed, Unreachable, UsageDisallowed
from .keeper import ANY_USE, Keeper
from .running import Fetch, in_thread
from .transport import ACCESS_ONLY

__all__ = ["Reader"]

#: The files of so many origins are kept ready, for so many seconds.
_READY, _LIFETIME = 4096, 86_400.0

#: So much of a site's file is read, in octets; robots.txt files have the same limit.
_LIMIT = 512 * 1024

#: Seconds for the body of a page, and of a site's file.
_PAGE_TIMEOUT, _FILE_TIMEOUT = 300.0, 30.0

#: A page of more octets is read where that keeps nobody else waiting.
_QUICK = 1 << 16


class Reader:
    """Reads what one robot fetches.

    `fetch` sends a request as the client does, and streams the response. Where the robot has to respect
    training or mining, each origin is asked for `tdmrep.json` and `ai.txt` too, once a day.
    """

    def __init__(
        self, fetch: Fetch, keeper: Keeper, requirement: Requirement, vocabulary: Vocabulary
    ) -> None:
        """Take what `Robot` was made with."""
        self._fetch = fetch
        self._keeper = keeper
        self._requirement = requirement
        self._vocabulary = vocabulary
        self._needs_files = not {TRAINING, *MINING}.isdisjoint(requirement.categories)
        self._files: OrderedDict[str, tuple[float, SiteFiles]] = OrderedDict()
        self._lock = threading.Lock()

    def access(self, request: httpx2.Request) -> tuple[str, Access, Rules | None]:
        """Give the URL of a request as it is judged, what is known of its origin, and the robot's rules."""
        asked = httpx2.Request("GET", request.url, extensions={ACCESS_ONLY: True})
        response = self._fetch(asked, auth=None, follow_redirects=False)
        found: tuple[str, Access, Rules | None] = response.extensions[ACCESS_ONLY]
        return found

    def page(self, request: httpx2.Request, **options: Any) -> Page:
        """Fetch and read a page, at most so much of it as pages are read (15 MB).

        Raises `UsageDisallowed` for one that is kept from what the robot would use it for.
        """
        self.prepare(request)
        response = self._fetch(request, **options)
        return self.read(response, self._taken(response, LIMIT, _PAGE_TIMEOUT))

    def read(self, response: httpx2.Response, body: bytes) -> Page:
        """Read a response whose body is this; raises as `page` does."""
        page = self._judge(response, body)
        refused = self._unmet(page)
        self._keeper.note_page(response.request, page, refused=refused is not None)
        if refused is not None:
            raise UsageDisallowed(response.request, refused, page.usage)
        return page

    def require(self, response: httpx2.Response, body: bytes) -> None:
        """Raise `UsageDisallowed` for a response that is kept from a use; only that is written down."""
        page = self._judge(response, body)
        refused = self._unmet(page)
        if refused is not None:
            self._keeper.note_page(response.request, page, refused=True)
            raise UsageDisallowed(response.request, refused, page.usage)

    def prepare(self, request: httpx2.Request) -> None:
        """Ask the origin of a request for its files, before a page is fetched that they may speak of.

        Nothing is asked if the page is not going to be fetched anyway.
        """
        if self._needs_files:
            url, access, rules = self.access(request)
            if access.check(url, agent=self._keeper.identity.names) if rules is None else rules.allowed(url):
                self._files_of(str(Origin.of(url)))

    def files(self, url: str) -> SiteFiles:
        """Give the files of the origin of a URL, asked for if they are not known; raises as sending does."""
        return self._files_of(str(Origin.of(url)))

    def _judge(self, response: httpx2.Response, body: bytes) -> Page:
        request = httpx2.Request("GET", response.url)
        url, access, rules = self.access(request)
        files = self._files_of(str(Origin.of(url))) if self._needs_files else None

        def judge() -> Page:
            return judged(
                url,
                tuple(str(hop.url) for hop in response.history),
                response.status_code,
                response.headers.multi_items(),
                body,
                agent=self._keeper.identity.names,
                now=self._keeper.clock.time(),
                robots=access if rules is None else rules,
                files=files,
                vocabulary=self._vocabulary,
            )

        return in_thread(judge) if len(body) > _QUICK else judge()

    def _unmet(self, page: Page) -> str | None:
        """Say which use is not permitted; what is no content, such as an error, may be handed out."""
        return self._requirement.unmet(page.usage) if 200 <= page.status < 300 else None

    def _files_of(self, origin: str) -> SiteFiles:
        now = self._keeper.clock.time()
        with self._lock:
            known = self._files.get(origin)
            if known is not None and now < known[0]:
                self._files.move_to_end(origin)
                return known[1]
        mining = self._file(f"{origin}/.well-known/tdmrep.json")
        training = self._file(f"{origin}/ai.txt")
        files = SiteFiles(
            None if mining is None else tdmrep(mining), None if training is None else ai_txt(training)
        )
        with self._lock:
            self._files[origin] = (now + _LIFETIME, files)
            while len(self._files) > _READY:
                self._files.popitem(last=False)
        return files

    def _file(self, url: str) -> bytes | None:
        """Give a file of a site, `None` if it has none or keeps it from robots.

        Raises what sending raises, and `httpx2.HTTPStatusError` where the server fails: what it would have
        said is not known then, and may be known later.
        """
        request = httpx2.Request("GET", url, extensions={ANY_USE: True})
        try:
            response = self._fetch(request, auth=None, follow_redirects=True)
        except Unreachable:
            raise
        except Disallowed:
            return None
        try:
            if response.status_code == 429 or response.status_code >= 500:
                response.raise_for_status()
            if not response.is_success:
                return None
            body = self._taken(response, _LIMIT, _FILE_TIMEOUT)
        finally:
            response.close()
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        # A server that answers every address with a page of its own has no such file.
        return None if media == "text/html" else body

    def _taken(self, response: httpx2.Response, limit: int, seconds: float) -> bytes:
        """Read the body of a response until there is more than is wanted, and close it.

        Raises `httpx2.ReadTimeout` if that takes too long: a client's own begins anew with each octet.
        """
        deadline = self._keeper.clock.time() + seconds
        body = bytearray()
        enough = late = False
        try:
            for chunk in response.iter_bytes():
                if enough or late:  # a stream that closing does not end
                    break
                body += chunk
                enough = len(body) > limit
                late = self._keeper.clock.time() > deadline
                if enough or late:  # Not left in the middle, which async generators take amiss.
                    response.close()
        except FAULTS:
            if not (enough or late):
                raise
        finally:
            response.close()
        if late:
            raise httpx2.ReadTimeout(f"the body takes more than {seconds:g} s", request=response.request)
        return bytes(body)
