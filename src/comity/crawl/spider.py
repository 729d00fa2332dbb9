"""The spider: stores what comes, wants what it leads to, and says what became of each page, at once."""

import time
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from functools import partial
from gzip import BadGzipFile
from hashlib import sha256
from itertools import chain, islice
from math import isfinite
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response
from twisted.python.failure import Failure

from ..errors import Disallowed, MustWait, Unreachable, UsageDisallowed
from ..integrations.scrapy.reading import run_without_blocking
from ..integrations.scrapy.sites import Sites
from ..protocol.access.outcome import Cause
from ..protocol.page.links import Link
from ..protocol.robotstxt.fields.vocabulary import Preference
from .address import address, host_of
from .embedded import embedded, is_style_sheet
from .frontier import Scheduler, entry_of
from .job.entry import Entry, Omission, Result, Want
from .job.interface import Job, JobUnusable
from .output.mirror import Mirror
from .output.recording import Recording
from .output.warc import Warc
from .scope import Scope
from .sitemap import addresses

__all__ = ["CrawlSpider"]

#: So many links of one page are looked at.
_LINKS = 10_000

#: So many addresses of a sitemap, which are as many as it may have.
_LISTED = 50_000

#: So many redirects in a row lead somewhere.
_HOPS = 20

#: So many times is a page asked for whose server is overloaded or does not answer.
_TRIES = 3

#: Failures that may be over the next time; what a server sends and nobody can read is none.
_PASSING = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

_OVERLOADED = frozenset((429, 502, 503, 504))

#: Seconds after which a file of a site may be had that could not be, and not sooner.
_UNHEARD = 600.0

#: Why nobody can be asked for a robots.txt, as far as that does not change in minutes.
_NOBODY = (Cause.DNS, Cause.REFUSED)

_REDIRECTS = frozenset((301, 302, 303, 307, 308))


class CrawlSpider(Spider):
    """Does a job: all that is wanted comes from the scheduler, and goes there."""

    name = "comity"

    def __init__(
        self,
        job: Job,
        scope: Scope,
        home: Mirror | Warc,
        *,
        limit: int | None = None,
        force_start: bool = False,
        sitemaps: bool = False,
    ) -> None:
        """Take the job, its bounds, and where pages are stored.

        `sitemaps` wants those of the hosts that the crawl began at too.
        """
        super().__init__()
        self.job = job
        self.limit = limit
        self._scope = scope
        self._mirror = home if isinstance(home, Mirror) else None
        self._warc = home if isinstance(home, Warc) else None
        self._recording: Recording | None = None
        self._force_start = force_start
        self._sitemaps = sitemaps
        #: the origins whose sitemaps are wanted by now
        self._listed_by: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "CrawlSpider":
        """Make one for a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider._warc is not None:
            spider._recording = Recording(crawler, spider.job, spider._warc)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Give nothing: the job has it."""
        return
        yield

    @property
    def _scheduler(self) -> Scheduler:
        scheduler = self.crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings of the crawl
        return scheduler

    async def parse(self, response: Response) -> None:
        """Take what came."""
        assert response.request is not None  # noqa: S101  # by Scrapy
        entry = entry_of(response.request)
        try:
            await self._take(entry, response)
        except OSError as failure:  # it is not the page that is to blame, and it is wanted still
            self._scheduler.trouble = failure
        except Exception as failure:  # a page that cannot be dealt with costs itself, and not the crawl
            if entry.origin in self._scheduler.under_way:
                why = f"{type(failure).__name__}: {failure}"
                self._scheduler.finish(entry, Result.of("failed", status=response.status, why=why))
            raise

    def _finish(
        self,
        entry: Entry,
        response: Response,
        result: Result,
        wants: Sequence[Want] = (),
        omissions: Sequence[Omission] = (),
        hosts: Iterable[str] = (),
    ) -> None:
        """Take what became of a page that was answered, with the records of a WARC."""
        mine: dict[str, object] = {}
        before = 0 if self._warc is None else self._warc.size
        if self._recording is not None and response.request is not None:
            mine.update(self._recording.take(entry, response.request, result.outcome))
        if result.file is not None:
            mine.update(file=result.file, sha256=result.sha256)
        more, fewer = self._sitemaps_of(entry)
        taken = self._scheduler.finish(
            entry, result, wants=[*wants, *more], omissions=[*omissions, *fewer], hosts=hosts, mine=mine
        )
        if taken and self._mirror is not None and result.file is not None:
            self._mirror.publish(result.file)
        elif not taken:
            self._listed_by.discard(entry.origin)
            if self._warc is not None:
                self._warc.cut(before)

    async def _take(self, entry: Entry, response: Response) -> None:
        status = response.status
        self._scope.hosts.update(self.job.hosts())  # to which others may have added
        if status in _OVERLOADED and entry.tries + 1 < _TRIES:
            self._scheduler.back_off(entry, f"it answers {status}")
        elif status in _REDIRECTS and response.headers.get(b"Location"):
            self._redirect(entry, response)
        elif 200 <= status < 300:
            await self._store(entry, response)
        else:
            outcome = "no-page" if status < 500 and status != 429 else "failed"
            self._finish(entry, response, Result.of(outcome, status=status, why=f"it answers {status}"))

    def _redirect(self, entry: Entry, response: Response) -> None:
        location = (response.headers.get(b"Location") or b"").decode("latin-1").strip()
        result = Result.of("redirect", status=response.status, why=location[:1000])
        wants, omissions = [], []
        try:
            if entry.hops >= _HOPS:
                raise ValueError(f"more than {_HOPS} redirects in a row")
            origin, url = address(Request(urljoin(response.url, location)).url)
        except ValueError as error:  # which `InvalidURL` is too
            result = Result.of("failed", status=response.status, why=f"it leads nowhere: {error}")
        else:
            if entry.start:  # where the operator's own address leads is where the operator wants to be
                self._scope.began_at(origin)
            reason = self._scope.leaves_out(origin, url, 0 if entry.start else entry.depth)
            if entry.start and reason in ("excluded", "not-included"):
                reason = None
            if reason is None:
                wants.append(Want(url, origin, entry.depth, entry.kind, entry.start, entry.hops + 1))
            else:
                omissions.append(Omission(url, reason, entry.url, None))
        self._finish(entry, response, result, wants, omissions, self._scope.hosts if entry.start else ())

    async def _store(self, entry: Entry, response: Response) -> None:
        sites = Sites.of(self.crawler)
        assert response.request is not None  # noqa: S101  # by Scrapy
        page = await sites.reader.read(response, response.request)
        wants: list[Want] = []
        omissions: list[Omission] = []
        follow = page.directives.follow.allowed
        styles = is_style_sheet(response)
        if entry.kind == "page" or (styles and entry.kind == "part"):
            leads = await run_without_blocking(len(response.body), lambda: embedded(response))
            if entry.kind == "page":
                self._links(entry, chain(page.directives.links, leads.links), follow, wants, omissions)
            if follow:
                self._parts(entry, leads.parts, styles, wants, omissions)
        if entry.kind == "sitemap":
            listed = await run_without_blocking(
                len(response.body), lambda: list(islice(addresses(response.body), _LISTED + 1))
            )
            wants += self._listed(entry, listed, omissions)
        media = (response.headers.get(b"Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        name = None
        if self._mirror is not None:
            name = self._mirror.write(entry.url, response.body, partial(self.job.reserve, entry))
        result = Result.of(
            "stored",
            status=response.status,
            octets=len(response.body),
            sha256=sha256(response.body).hexdigest(),
            file=name,
            media=media[:100],
            why=self._forced(entry),
        )
        self._finish(entry, response, result, wants, omissions)

    def _links(
        self,
        entry: Entry,
        links: Iterable[Link],
        follow: bool,
        wants: list[Want],
        omissions: list[Omission],
    ) -> None:
        """Want what a page links to, unless it says nofollow."""
        for number, link in enumerate(links):
            if number >= _LINKS:
                omissions.append(Omission(entry.url, "too-many-links", entry.url, link.line))
                break
            if link.url is None or not link.url.lower().startswith(("http://", "https://")):
                continue
            try:
                origin, url = address(Request(link.url).url)
            except ValueError:  # which `InvalidURL` is too
                continue
            reason = self._scope.leaves_out(origin, url, entry.depth + 1)
            if not (follow and link.follow) and reason is None:
                reason = "nofollow"
            if reason is None:
                wants.append(Want(url, origin, entry.depth + 1, "page", False, 0))
            else:
                omissions.append(Omission(url, reason, entry.url, link.line))

    def _parts(
        self,
        entry: Entry,
        parts: Iterable[Link],
        styles: bool,
        wants: list[Want],
        omissions: list[Omission],
    ) -> None:
        """Want what a page embeds, which is as near as the page, and leads nowhere but by style sheets.

        A style sheet leads on as a redirect does, so that sheets that import each other have an end.
        """
        hops = entry.hops + 1 if styles else 0
        for part in parts:
            try:
                origin, url = address(Request(part.url or "").url)
            except ValueError:
                continue
            reason = self._scope.leaves_out(origin, url, entry.depth)
            if hops > _HOPS:
                reason = reason or "too-deep"
            if reason is None:
                wants.append(Want(url, origin, entry.depth, "part", False, hops))
            else:
                omissions.append(Omission(url, reason, entry.url, part.line))

    def _listed(
        self, entry: Entry, addressed: Iterable[tuple[str, str]], omissions: list[Omission]
    ) -> list[Want]:
        """Give what a sitemap lists: pages, which are as near as the crawl's first, and further sitemaps."""
        wants = []
        for number, (kind, listed) in enumerate(addressed):
            if number >= _LISTED:
                omissions.append(Omission(entry.url, "too-many-links", entry.url, None))
                break
            try:
                origin, url = address(Request(listed).url)
            except ValueError:
                continue
            reason = self._scope.leaves_out(origin, url, 0)
            if kind == "sitemap" and entry.depth >= 1:  # an index of indices is none
                reason = reason or "too-deep"
            if reason is None:
                wants.append(Want(url, origin, entry.depth + 1 if kind == "sitemap" else 0, kind, False, 0))
            else:
                omissions.append(Omission(url, reason, entry.url, None))
        return wants

    def _sitemaps_of(self, entry: Entry) -> tuple[list[Want], list[Omission]]:
        """Want the sitemaps that the robots.txt of a host names at which the crawl began.

        They come with the first page of it that this process is done with, so whoever is killed loses none.
        """
        site = Sites.of(self.crawler).find(entry.url)
        if (
            not self._sitemaps
            or entry.origin in self._listed_by
            or host_of(entry.origin) not in self._scope.hosts
            or site is None
            or site.access is None
        ):
            return [], []
        self._listed_by.add(entry.origin)
        wants, omissions = [], []
        for listed in site.access.robots.sitemaps[:100] or (f"{entry.origin}/sitemap.xml",):
            with suppress(ValueError):
                origin, url = address(Request(listed).url)
                reason = self._scope.leaves_out(origin, url, 0)
                if reason in (None, "not-included"):
                    wants.append(Want(url, origin, 0, "sitemap", False, 0))
                else:
                    omissions.append(Omission(url, reason, site.access.url, None))
        return wants, omissions

    def failed(self, failure: Failure) -> None:
        """Take why nothing came."""
        request: Request = failure.request  # type: ignore[attr-defined]  # put there by Scrapy
        try:
            self._scope.hosts.update(self.job.hosts())
            self._refuse(entry_of(request), failure.value)
        except OSError as trouble:
            self._scheduler.trouble = trouble

    def _refuse(self, entry: Entry, error: BaseException | None) -> None:
        scheduler = self._scheduler
        if isinstance(error, JobUnusable):
            raise error
        if isinstance(error, Unreachable):
            site = Sites.of(self.crawler).find(entry.url)
            hopeless = site is not None and site.access is not None and site.access.cause in _NOBODY
            scheduler.unreachable(entry, error.until, error.verdict.explain()[:1000], hopeless=hopeless)
        elif isinstance(error, Disallowed):
            if entry.start and self._force_start:
                scheduler.defer(entry, force=True)
                return
            result = Result.of(
                "disallowed",
                why=error.verdict.explain()[:1000],
                source=self._robots_of(entry.url),
                line=error.verdict.line,
            )
            self._give_up(entry, result)
        elif isinstance(error, MustWait):
            # Without an end is what somebody else has by now, and that is nobody's wait.
            scheduler.defer(
                entry, seconds=error.seconds if isfinite(error.seconds) else 0.0, why=error.reason
            )
        elif isinstance(error, UsageDisallowed):
            self._keep_from_use(entry, error)
        elif isinstance(error, DownloadCancelledError):
            self._give_up(entry, Result.of("too-large", why="it is larger than a page may be"))
        elif entry.tries + 1 < _TRIES and isinstance(error, _PASSING):
            scheduler.back_off(entry, _said(error))
        else:
            self._give_up(entry, Result.of("failed", why=_said(error)))

    def _give_up(self, entry: Entry, result: Result) -> None:
        """Take that a page is done without content."""
        wants, omissions = self._sitemaps_of(entry)
        if not self._scheduler.finish(entry, result, wants=wants, omissions=omissions):
            self._listed_by.discard(entry.origin)

    def _keep_from_use(self, entry: Entry, error: UsageDisallowed) -> None:
        said = error.usage.deciding(error.category)
        if said is None or said.preference is not Preference.DISALLOW:
            # A file that would have said it could not be had: that is over some time, and the page is wanted.
            self._scheduler.leave(entry, time.time() + _UNHEARD, error.reason)
            return
        own = said.source in ("header", "meta")
        result = Result.of(
            "usage-disallowed",
            why=f"{error.category} is disallowed by {said}",
            source=entry.url if own else urljoin(entry.url, f"/{said.source}"),
            line=said.place,
        )
        self._give_up(entry, result)

    def _forced(self, entry: Entry) -> str | None:
        """Say why a page should not have been fetched that the operator had fetched all the same."""
        sites = Sites.of(self.crawler)
        site = sites.find(entry.url) if entry.forced else None
        if site is None or site.access is None:
            return None
        return site.rules_for(sites.agent(Request(entry.url))).check(entry.url).explain()[:1000]

    def _robots_of(self, url: str) -> str:
        site = Sites.of(self.crawler).find(url)
        return urljoin(url, "/robots.txt") if site is None or site.access is None else site.access.url


#: What failures are called, the narrower first.
_WORDS: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "it does not answer in time"),
    (CannotResolveHostError, "its host name is not known"),
    (DownloadConnectionRefusedError, "it refuses the connection"),
    (ResponseDataLossError, "its answer breaks off before its end"),
    (DownloadFailedError, "it closes the connection, or sends what is no HTTP"),
    (BadGzipFile, "its body is not compressed as it says"),
    (zlib.error, "its body is not compressed as it says"),
    (EOFError, "its body is not compressed as it says"),
)


def _said(error: BaseException | None) -> str:
    words = next((words for kind, words in _WORDS if isinstance(error, kind)), None)
    return words or f"{type(error).__name__}: {error}"[:1000]
