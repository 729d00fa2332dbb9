"""The spider of a crawl: stores responses, extracts links, and records the result of each request."""

import time
from collections.abc import AsyncIterator, Mapping
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError
from scrapy.http import Response
from twisted.python.failure import Failure

from ..errors import Disallowed, MustWait, NotPublic, Unreachable
from ..integrations.scrapy.scrapy_errors import UsageDisallowed
from ..integrations.scrapy.site import ScrapySite
from ..integrations.scrapy.sites import Sites
from ..politeness import RETRY_DELAY, Page, media_type
from ..protocol import FINAL_ANSWERS, REDIRECT_STATUSES, page_charset
from ..protocol.access import Access, Cause
from .checking import LinkChecker
from .extraction.links import LinkSorter
from .extraction.page_reader import PageReader
from .extraction.resolver import location_text
from .extraction.sitemaps import Sitemaps, is_guess, unread_reason
from .facts.page_facts import page_facts, verdict_of
from .facts.refused_use import refused_use
from .facts.rights import rights_text
from .failures import TRANSIENT, description, is_final, is_part, is_transient
from .frontier import Scheduler, entry_of, recording_errors, scheduler_of
from .job.entry import Entry, Result
from .job.interface import Job, JobUnavailable
from .job_spider import JobSpider
from .limits.bodies import content_type_of, stop_bodies
from .limits.media import MediaFilter, has_links
from .output.decoding import TooLarge
from .output.mirror import Mirror
from .output.reception import Reception, head_received
from .output.recording import Recording
from .output.warc import Warc
from .refresh.conditions import validators
from .refresh.revisits import Revisits
from .rendering.response import explain_rendering
from .selection.scope import Scope

#: Maximum number of tries of a page whose server is overloaded or does not respond.
_MAX_TRIES = 3

#: The status of a page that lists the forms of a resource (RFC 9110 15.4.1).
_MULTIPLE_CHOICES = 300

#: Causes of an unreachable robots.txt that do not go away within minutes.
_HOPELESS = FINAL_ANSWERS | {Cause.DNS, Cause.REFUSED, Cause.TLS, Cause.NOT_FETCHABLE}


class CrawlSpider(JobSpider):
    """Processes the requests of a job; the scheduler supplies them and records their results."""

    name = "comity"

    def __init__(
        self,
        job: Job,
        scope: Scope,
        output: Mirror | Warc | None,
        *,
        force_start: bool = False,
        sitemaps: bool = False,
        media: MediaFilter | None = None,
        **attributes: Any,
    ) -> None:
        """Create the spider of a job, with other `attributes` of a `JobSpider`.

        Without `output`, links are checked and nothing is stored. With `force_start`, start URLs are fetched
        even if robots.txt disallows them. With `sitemaps`, the sitemaps of the start hosts are requested too.
        `media` limits the pages that are stored.
        """
        super().__init__(job=job, **attributes)
        self._media = media or MediaFilter(())
        self._scope = scope
        self._mirror = output if isinstance(output, Mirror) else None
        self._warc = output if isinstance(output, Warc) else None  # written by `_recording`
        self._recording: Recording | None = None
        self._pages = PageReader(scope)
        self._force_start = force_start
        self._sitemaps = Sitemaps(scope, queue=sitemaps)
        #: the part that checks links, if nothing is stored
        self._checker = LinkChecker(scope) if output is None else None
        #: URLs that were requested again with the cookies of their response
        self._set_cookies: set[str] = set()
        self._revisits = Revisits(None if self._mirror is None else self._mirror.has, job.worker)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "CrawlSpider":
        """Create the spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        Sites.of(crawler).reader.elements_of = spider._pages.elements_of
        crawler.signals.connect(head_received, signals.headers_received)
        if spider._warc is not None:
            spider._recording = Recording(crawler, spider.job, spider._warc)
        if spider._checker is not None:
            crawler.signals.connect(stop_bodies(has_links), signals.headers_received, weak=False)
        elif spider._media.is_limited:
            crawler.signals.connect(
                stop_bodies(spider._media.needs_body), signals.headers_received, weak=False
            )
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing; the job has the start URLs."""
        return
        yield

    @property
    def _scheduler(self) -> Scheduler:
        return scheduler_of(self.crawler)

    def method_of(self, entry: Entry) -> str:
        """Return the method of the request for an entry: HEAD if its body is not needed."""
        return "GET" if self._checker is None else self._checker.method_of(entry)

    def headers_of(self, entry: Entry) -> dict[str, bytes]:
        """Return the header fields of the request for an entry: in a refresh, its conditions."""
        return self._revisits.fields(entry)

    # Responses ------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> None:
        """Process a response."""
        entry = entry_of(_request_of(response))
        with recording_errors(self._scheduler, entry, response.status):
            await self._process(entry, response)

    async def _process(self, entry: Entry, response: Response) -> None:
        status = response.status
        self._scope.hosts.update(self.job.start_hosts())  # other workers may have added some
        access = self._access(entry)
        self._scope.parameters.learn(entry.origin, access)
        if self._checker is not None and self._checker.must_get(entry, response):
            self._scheduler.defer(entry)
        elif is_transient(status) and entry.tries + 1 < _MAX_TRIES:
            self._scheduler.back_off(entry, f"status {status}")
        elif status in REDIRECT_STATUSES and response.headers.get(b"Location"):
            self._redirect(entry, response)
        elif is_part(status, (response.headers.get(b"Content-Range") or b"").decode("latin-1")):
            reason = "status 206: a part of the page, which was not requested"
            self._record(entry, _request_of(response), Result.of("failed", status=status, reason=reason))
        elif 200 <= status < 300 or (status == _MULTIPLE_CHOICES and response.body):
            await self._store(entry, response)
        elif status == 304:
            self._confirm(entry, response)
        else:
            outcome = "http-error" if is_final(status) else "failed"
            if outcome == "http-error" and is_guess(entry, access):
                outcome = "no-sitemap"
            reason = f"status {status}{' without a Location' if status in REDIRECT_STATUSES else ''}"
            self._record(entry, _request_of(response), Result.of(outcome, status=status, reason=reason))

    def _redirect(self, entry: Entry, response: Response) -> None:
        location = location_text(response.headers.get(b"Location") or b"")
        result = Result.of("redirect", status=response.status)
        found = LinkSorter(entry, self._scope)
        try:
            target = found.add_redirect(location)
            if target == entry.url and self._has_new_cookies(entry, response):
                self._scheduler.defer(entry)
                return
            result = result.replace(target=target)
            if entry.start and found.skipped:  # the user named the URL, and gets nothing
                reason = f"redirects to {target}, which is not followed: {found.skipped[0].reason}"
                result = result.replace(outcome="failed", reason=reason[:1000])
        except ValueError as error:  # `InvalidURL` is a ValueError
            result = Result.of("failed", status=response.status, reason=f"invalid redirect: {error}")
        self._record(entry, _request_of(response), result, found)

    def _has_new_cookies(self, entry: Entry, response: Response) -> bool:
        """Return whether the next request for a URL has cookies that it lacked; once for each URL."""
        if self.cookies is None or b"Set-Cookie" not in response.headers or entry.url in self._set_cookies:
            return False
        self._set_cookies.add(entry.url)
        return True

    def _confirm(self, entry: Entry, response: Response) -> None:
        """Record that a page has not changed, unless the server cannot know that."""
        request = _request_of(response)
        result = self._revisits.confirmed(entry, request.headers)
        if result is not None:
            sites = Sites.of(self.crawler)
            rights = rights_text(sites, sites.reader.page(response, request), result.rights)
            self._record(
                entry, request, result.replace(forced_reason=self._explain_forced(entry), rights=rights)
            )
        elif self._revisits.request_whole(entry):
            self._scheduler.defer(entry)
        else:
            reason = "status 304 to a request without a condition"
            self._record(entry, request, Result.of("failed", status=304, reason=reason))

    async def _store(self, entry: Entry, response: Response) -> None:
        request, sites = _request_of(response), Sites.of(self.crawler)
        page = await sites.reader.read(response, request)
        found = await self._pages.links_of(entry, response, page, with_resources=True)
        content_type = content_type_of(response.headers)
        media = media_type(content_type)[:100]
        facts = page_facts(page, self._pages.head_of(response)) | {"status": response.status, "media": media}
        if self._checker is None and not self._media.accepts(content_type):
            result = Result.of("other-media", reason=f"media type {media}", **facts)
            self._record(entry, request, result, found)
            return
        facts |= validators(response.headers, time.time())
        facts["read_in_part"] = unread_reason(found, entry, self._access(entry))
        if self._checker is not None:
            result = Result.of("checked", **facts)
        else:
            result = self._stored(entry, response, page, facts)
        self._record(entry, request, result, found)

    def _stored(self, entry: Entry, response: Response, page: Page, facts: Mapping[str, object]) -> Result:
        """Write a page to the mirror if there is one, and return its result with the facts about it."""
        content_type = content_type_of(response.headers)
        digest = sha256(response.body).hexdigest()
        file = None
        if self._mirror is not None and not self._revisits.is_stored(entry, digest):
            file = _write(self._mirror, self.job, entry, response.body, media_type(content_type))
        return Result.of(
            "stored",
            size=len(response.body),
            sha256=digest,
            file=file,
            received=time.time(),
            charset=page_charset(content_type),
            forced_reason=self._explain_forced(entry),
            rendered_in_part=explain_rendering(response),
            rights=rights_text(Sites.of(self.crawler), page),
            **facts,
        )

    def _record(
        self,
        entry: Entry,
        request: Request,
        result: Result,
        found: LinkSorter | None = None,
    ) -> None:
        """Record a result, after writing the WARC records of what was received."""
        worker_metadata: dict[str, object] = {}
        position = None if self._recording is None else self._recording.position
        if self._recording is not None and result.outcome != "other-media":
            worker_metadata.update(self._recording.write(entry, request, result))
        if result.file is not None:
            worker_metadata.update(file=result.file, sha256=result.sha256)
        found = self._with_sitemaps(entry, found)
        recorded = self._scheduler.finish(entry, result, found.links, worker_metadata=worker_metadata)
        if recorded and self._mirror is not None and result.file is not None:
            self._mirror.publish(result.file)
        elif not recorded:
            self._sitemaps.forget(entry.origin)
            if self._recording is not None and position is not None:
                self._recording.undo(position)

    def _with_sitemaps(self, entry: Entry, found: LinkSorter | None) -> LinkSorter:
        """Add the sitemaps of a start host to the links that were found."""
        found = found or LinkSorter(entry, self._scope)
        self._sitemaps.add(found, entry, self._access(entry))
        return found

    # Failures -------------------------------------------------------------------------------------

    async def failed(self, failure: Failure) -> None:
        """Process a request without a response."""
        request: Request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        with recording_errors(self._scheduler, entry_of(request), None):
            self._scope.hosts.update(self.job.start_hosts())
            await self._process_error(request, failure.value)

    async def _process_error(self, request: Request, error: BaseException | None) -> None:
        entry, scheduler = entry_of(request), self._scheduler
        reception = Reception.of(request)
        status = None if reception is None else reception.status
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
        elif isinstance(error, (DownloadCancelledError, TooLarge)):
            reason = "over the size limit"
            self._record(entry, request, Result.of(self._media.size_outcome, status=status, reason=reason))
        elif entry.tries + 1 < _MAX_TRIES and isinstance(error, TRANSIENT):
            scheduler.back_off(entry, description(error))
        else:
            self._record(entry, request, Result.of("failed", status=status, reason=description(error)))

    async def _process_usage_error(self, entry: Entry, error: UsageDisallowed) -> None:
        """Record that a page may not be used. If it was fetched, its links are followed."""
        page, response = error.page, error.response
        if response is not None and response.status == 304 and self._revisits.request_whole(entry):
            self._scheduler.defer(entry)  # the page itself may permit the use
            return
        result, found = refused_use(entry, error), None
        if result is None:
            self._scheduler.postpone(entry, time.time() + RETRY_DELAY, error.reason)  # try it in the next run
            return
        if page is not None and response is not None:
            result = result.replace(**page_facts(page))
            found = await self._pages.links_of(entry, response, page, with_resources=False)
        self._give_up(entry, result, found)

    def _give_up(self, entry: Entry, result: Result, found: LinkSorter | None = None) -> None:
        """Record the result of a request that was not sent, or whose response may not be stored."""
        found = self._with_sitemaps(entry, found)
        if not self._scheduler.finish(entry, result, found.links):
            self._sitemaps.forget(entry.origin)

    # robots.txt -----------------------------------------------------------------------------------

    def _known_site(self, url: str) -> ScrapySite | None:
        return Sites.of(self.crawler).find(url)

    def _access(self, entry: Entry) -> Access | None:
        """Return the robots.txt of an origin, if it was read."""
        site = self._known_site(entry.url)
        return None if site is None else site.access

    def _explain_forced(self, entry: Entry) -> str | None:
        """Return why robots.txt disallows a page that is fetched by `--force-start`."""
        verdict = verdict_of(Sites.of(self.crawler), entry.url) if entry.forced else None
        return None if verdict is None else verdict.explain()[:1000]

    def _robots_url(self, url: str) -> str:
        site = self._known_site(url)
        return urljoin(url, "/robots.txt") if site is None or site.access is None else site.access.url


def _request_of(response: Response) -> Request:
    assert response.request is not None  # noqa: S101  # by Scrapy
    return response.request


def _write(mirror: Mirror, job: Job, entry: Entry, body: bytes, media: str) -> str:
    """Write a page to the mirror, and return its name, which stays the same."""
    known = None if entry.earlier is None else entry.earlier.file
    reserve = partial(job.reserve, entry) if known is None else lambda _: True
    name = mirror.write(entry.url, body, reserve, media)
    return known or name
