"""The spider of a crawl: stores responses, extracts links, and records the result of each request."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from itertools import chain
from math import isfinite
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError
from scrapy.http import Response
from twisted.python.failure import Failure

from ..errors import Disallowed, MustWait, NotPublic, Unreachable
from ..integrations.scrapy.reading import run_without_blocking
from ..integrations.scrapy.refusals import UsageDisallowed
from ..integrations.scrapy.site import Site
from ..integrations.scrapy.sites import Sites
from ..politeness.page import INDEX, Page
from ..politeness.site_files import RETRY_DELAY
from ..protocol.access.fetch import FINAL_ANSWERS
from ..protocol.access.outcome import Cause
from ..protocol.access.redirects import REDIRECT_STATUSES
from ..protocol.dot_segments import with_slashes
from ..protocol.robotstxt.fields.vocabulary import Preference
from ..protocol.userinfo import without_password
from .checking import LinkChecker
from .embedded import is_style_sheet, page_links
from .failures import TRANSIENT, TRANSIENT_STATUSES, description
from .frontier import Scheduler, entry_of
from .job.entry import Entry, Result
from .job.interface import Job, JobUnavailable
from .links import LinkSorter, listed_urls
from .output.mirror import Mirror
from .output.recording import Recording
from .output.warc import Warc
from .scope import Scope
from .urls import host_of

#: Maximum number of tries of a page whose server is overloaded or does not respond.
_MAX_TRIES = 3

#: Causes of an unreachable robots.txt that do not go away within minutes.
_HOPELESS = FINAL_ANSWERS | {Cause.DNS, Cause.REFUSED, Cause.NOT_FETCHABLE}


class CrawlSpider(Spider):
    """Processes the requests of a job; the scheduler supplies them and records their results."""

    name = "comity"

    def __init__(
        self,
        job: Job,
        scope: Scope,
        output: Mirror | Warc | None,
        *,
        limit: int | None = None,
        force_start: bool = False,
        sitemaps: bool = False,
        authorization: Mapping[str, str] | None = None,
        spread: Callable[[], float] | None = None,
    ) -> None:
        """Create the spider of a job.

        Without `output`, links are checked and nothing is stored. With `sitemaps` it also requests the
        sitemaps of the start hosts. `authorization` is the Authorization field per origin. `spread` returns
        the factor of the next delay.
        """
        super().__init__()
        self.job = job
        self.limit = limit
        self.authorization = authorization or {}
        self.spread = spread
        self._scope = scope
        self._mirror = output if isinstance(output, Mirror) else None
        self._warc = output if isinstance(output, Warc) else None
        self._recording: Recording | None = None
        self._force_start = force_start
        self._sitemaps = sitemaps
        #: the part that checks links, if nothing is stored
        self._checker = LinkChecker(scope) if output is None else None
        #: origins whose sitemaps are queued
        self._sitemaps_queued: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "CrawlSpider":
        """Create the spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider._warc is not None:
            spider._recording = Recording(crawler, spider.job, spider._warc)
        if spider._checker is not None:
            crawler.signals.connect(spider._checker.headers_received, signals.headers_received)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing; the job has the start URLs."""
        return
        yield

    @property
    def _scheduler(self) -> Scheduler:
        scheduler = self.crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings of the crawl
        return scheduler

    def method_of(self, entry: Entry) -> str:
        """Return the method of the request for an entry: HEAD if its body is not needed."""
        return "GET" if self._checker is None else self._checker.method_of(entry)

    # Responses ------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> None:
        """Process a response."""
        assert response.request is not None  # noqa: S101  # by Scrapy
        entry = entry_of(response.request)
        try:
            await self._process(entry, response)
        except OSError as error:  # the output is at fault; the page stays queued
            self._scheduler.error = error
        except Exception as error:  # a page that cannot be processed must not end the crawl
            if entry.origin in self._scheduler.in_progress:
                reason = f"{type(error).__name__}: {error}"
                self._scheduler.finish(entry, Result.of("failed", status=response.status, reason=reason))
            raise

    async def _process(self, entry: Entry, response: Response) -> None:
        status = response.status
        self._scope.hosts.update(self.job.start_hosts())  # other workers may have added some
        if self._checker is not None and self._checker.must_get(entry, response):
            self._scheduler.defer(entry)
        elif status in TRANSIENT_STATUSES and entry.tries + 1 < _MAX_TRIES:
            self._scheduler.back_off(entry, f"status {status}")
        elif status in REDIRECT_STATUSES and response.headers.get(b"Location"):
            self._redirect(entry, response)
        elif 200 <= status < 300:
            await self._store(entry, response)
        else:
            outcome = "http-error" if status < 500 and status != 429 else "failed"
            self._finish(entry, response, Result.of(outcome, status=status, reason=f"status {status}"))

    def _redirect(self, entry: Entry, response: Response) -> None:
        location = (response.headers.get(b"Location") or b"").decode("latin-1").strip()
        result = Result.of("redirect", status=response.status, reason=without_password(location)[:1000])
        found = LinkSorter(entry, self._scope)
        try:
            found.add_redirect(urljoin(response.url, with_slashes(location)))
        except ValueError as error:  # `InvalidURL` is a ValueError
            result = Result.of("failed", status=response.status, reason=f"invalid redirect: {error}")
        self._finish(entry, response, result, found, self._scope.hosts if entry.start else ())

    async def _store(self, entry: Entry, response: Response) -> None:
        assert response.request is not None  # noqa: S101  # by Scrapy
        page = await Sites.of(self.crawler).reader.read(response, response.request)
        found = await self._links_of(entry, response, page, with_resources=True)
        media = (response.headers.get(b"Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        name = None
        if self._checker is not None:
            self._finish(entry, response, self._checker.result(response, media), found)
            return
        if self._mirror is not None:
            name = self._mirror.write(entry.url, response.body, partial(self.job.reserve, entry))
        result = Result.of(
            "stored",
            status=response.status,
            size=len(response.body),
            sha256=sha256(response.body).hexdigest(),
            file=name,
            media=media[:100],
            reason=self._explain_forced(entry),
        )
        self._finish(entry, response, result, found)

    async def _links_of(
        self, entry: Entry, response: Response, page: Page, *, with_resources: bool
    ) -> LinkSorter:
        """Return the URLs that a page or sitemap lists; those that it embeds too, if requested."""
        follow = page.directives.follow.allowed
        is_sheet = is_style_sheet(response)
        found = LinkSorter(entry, self._scope)
        if entry.kind == "page" or (with_resources and is_sheet and entry.kind == "resource"):
            urls = await run_without_blocking(len(response.body), lambda: page_links(response))
            if entry.kind == "page":
                found.add_links(chain(page.directives.links, urls.links), follow=follow)
            if follow and with_resources:
                found.add_resources(urls.resources, in_style_sheet=is_sheet)
        if entry.kind == "sitemap":
            found.add_listed(
                await run_without_blocking(len(response.body), lambda: listed_urls(response.body))
            )
        return found

    def _finish(
        self,
        entry: Entry,
        response: Response,
        result: Result,
        found: LinkSorter | None = None,
        hosts: Iterable[str] = (),
    ) -> None:
        """Record the result of a response, after writing its WARC records."""
        worker_metadata: dict[str, object] = {}
        size_before = 0 if self._warc is None else self._warc.size
        if self._recording is not None and response.request is not None:
            worker_metadata.update(self._recording.write(entry, response.request, result.outcome))
        if result.file is not None:
            worker_metadata.update(file=result.file, sha256=result.sha256)
        found = self._with_sitemaps(entry, found)
        recorded = self._scheduler.finish(
            entry,
            result,
            requests=found.requests,
            skipped=found.skipped,
            hosts=hosts,
            worker_metadata=worker_metadata,
        )
        if recorded and self._mirror is not None and result.file is not None:
            self._mirror.publish(result.file)
        elif not recorded:
            self._sitemaps_queued.discard(entry.origin)
            if self._warc is not None:
                self._warc.cut(size_before)

    def _with_sitemaps(self, entry: Entry, found: LinkSorter | None = None) -> LinkSorter:
        """Add the sitemaps of a start host to the links of its first page that this process finishes.

        So they are queued in the same step, and a kill loses none of them.
        """
        found = found or LinkSorter(entry, self._scope)
        site = self._known_site(entry.url)
        if (
            self._sitemaps
            and entry.origin not in self._sitemaps_queued
            and host_of(entry.origin) in self._scope.hosts
            and site is not None
            and site.access is not None
        ):
            self._sitemaps_queued.add(entry.origin)
            urls = site.access.robots.sitemaps or (f"{entry.origin}/sitemap.xml",)
            found.add_sitemaps(urls, site.access.url)
        return found

    # Failures -------------------------------------------------------------------------------------

    async def failed(self, failure: Failure) -> None:
        """Process a request without a response."""
        request: Request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        try:
            self._scope.hosts.update(self.job.start_hosts())
            await self._process_error(entry_of(request), failure.value)
        except OSError as error:
            self._scheduler.error = error

    async def _process_error(self, entry: Entry, error: BaseException | None) -> None:
        scheduler = self._scheduler
        if isinstance(error, JobUnavailable):
            raise error
        if isinstance(error, Unreachable):
            site = self._known_site(entry.url)
            hopeless = site is not None and site.access is not None and site.access.cause in _HOPELESS
            scheduler.unreachable(entry, error.until, error.verdict.explain()[:1000], hopeless=hopeless)
        elif isinstance(error, Disallowed):
            if entry.start and self._force_start:
                scheduler.defer(entry, force=True)
                return
            result = Result.of(
                "disallowed",
                reason=error.verdict.explain()[:1000],
                source=self._robots_url(entry.url),
                line=error.verdict.line,
            )
            self._give_up(entry, result)
        elif isinstance(error, MustWait):
            # Infinite seconds mean that another worker has the lease: then the origin needs no pause.
            seconds = error.seconds if isfinite(error.seconds) else 0.0
            scheduler.defer(entry, seconds=seconds, reason=error.reason)
        elif isinstance(error, NotPublic):
            self._give_up(entry, Result.of("failed", reason=str(error)[:1000]))
        elif isinstance(error, UsageDisallowed):
            await self._process_usage_error(entry, error)
        elif isinstance(error, DownloadCancelledError):
            self._give_up(entry, Result.of("too-large", reason="over the size limit"))
        elif entry.tries + 1 < _MAX_TRIES and isinstance(error, TRANSIENT):
            scheduler.back_off(entry, description(error))
        else:
            self._give_up(entry, Result.of("failed", reason=description(error)))

    async def _process_usage_error(self, entry: Entry, error: UsageDisallowed) -> None:
        """Record that a page may not be used. If it was fetched, its links are followed."""
        page, response = error.page, error.response
        if error.category == INDEX and page is not None and not page.directives.index:
            line = page.directives.index.line
            result = Result.of("noindex", reason=error.reason[:1000], source=entry.url, line=line)
        else:
            statement = None if error.category == INDEX else error.usage.deciding(error.category)
            if statement is None or statement.preference is not Preference.DISALLOW:
                # A site file was unavailable: retry the page in the next run.
                self._scheduler.postpone(entry, time.time() + RETRY_DELAY, error.reason)
                return
            in_page = statement.source in ("header", "meta")
            result = Result.of(
                "usage-disallowed",
                reason=f"{error.category} is disallowed by {statement}",
                source=entry.url if in_page else urljoin(entry.url, f"/{statement.source}"),
                line=statement.place,
            )
        found = None
        if page is not None and response is not None:
            found = await self._links_of(entry, response, page, with_resources=False)
        self._give_up(entry, result, found)

    def _give_up(self, entry: Entry, result: Result, found: LinkSorter | None = None) -> None:
        """Record the result of a request whose content is not stored."""
        found = self._with_sitemaps(entry, found)
        if not self._scheduler.finish(entry, result, requests=found.requests, skipped=found.skipped):
            self._sitemaps_queued.discard(entry.origin)

    # robots.txt -----------------------------------------------------------------------------------

    def _known_site(self, url: str) -> Site | None:
        return Sites.of(self.crawler).find(url)

    def _explain_forced(self, entry: Entry) -> str | None:
        """Return why robots.txt disallows a page that is fetched by `--force-start`."""
        site = self._known_site(entry.url) if entry.forced else None
        if site is None or site.access is None:
            return None
        agent = Sites.of(self.crawler).agent(Request(entry.url))
        return site.rules_for(agent).check(entry.url).explain()[:1000]

    def _robots_url(self, url: str) -> str:
        site = self._known_site(url)
        return urljoin(url, "/robots.txt") if site is None or site.access is None else site.access.url
