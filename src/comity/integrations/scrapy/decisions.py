"""The downloader middleware that writes the decision log (`COMITY_LOG`)."""

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    IgnoreRequest,
    NotConfigured,
    NotSupported,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response

from ... import errors
from ...politeness import NOT_PUBLIC, Page, usage_record
from ...politeness.log_files import decision
from ...protocol import without_password
from ...protocol.robotstxt import Verdict
from ...protocol.usage import Usage
from ...stores import WaitReason
from .acquisition import is_for_robots_txt
from .scrapy_errors import Disallowed, said_by
from .sites import Sites

#: Failures before anything was sent.
_UNSENT = (CannotResolveHostError, DownloadConnectionRefusedError, NotSupported, UnsupportedURLSchemeError)

#: Reason code for content that robots.txt allows to fetch, but that is reserved from a use.
KEPT_FROM_USE = "usage-disallowed"


class DecisionLogMiddleware:
    """Logs each request that was sent, and each request that the rules or delays of the site refused.

    It is the last middleware before the downloader: it sees each hop of a redirect and each retry, but no
    answer from a cache. Requests that other middlewares drop are not logged.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Create the middleware of a crawl. Raise `NotConfigured` if `COMITY_LOG` is not set."""
        self._sites = Sites.of(crawler)
        if self._sites.log is None or not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._failure: Exception | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "DecisionLogMiddleware":
        """Create the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise the error of the log if a decision could not be written to it, and still cannot."""
        if self._sites.log is not None:
            try:
                self._sites.log.flush()
            except Exception as error:
                self._failure = error
                raise

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Log a request that was answered."""
        if self._sites.facts.of(request).sent is not None:  # otherwise another middleware has the answer
            said = (
                None
                if self._sites.log is None
                else self._sites.reader.early_usage(response.url, request, response)
            )
            write_down(self._sites, request, made=True, status=response.status, usage=said)
        return response

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:
        """Log a request that was refused or failed."""
        if exception is self._failure:  # the log's own
            return
        if isinstance(exception, Disallowed):
            write_down(self._sites, request, made=False, verdict=exception.verdict)
        elif isinstance(exception, errors.MustWait):
            code = next(why.code for why in WaitReason if why.sentence == exception.reason)
            write_down(self._sites, request, made=False, reason=code)
        elif isinstance(exception, errors.NotPublic):
            write_down(self._sites, request, made=False, reason=NOT_PUBLIC, error=str(exception))
        elif not isinstance(exception, IgnoreRequest):
            made = not isinstance(exception, _UNSENT) and self._sites.facts.of(request).sent is not None
            write_down(self._sites, request, made=made, error=said_by(exception))


def write_down(
    sites: Sites,
    request: Request,
    *,
    made: bool,
    verdict: Verdict | None = None,
    reason: str | None = None,
    status: int | None = None,
    error: str | None = None,
    usage: Usage | None = None,
) -> None:
    """Log the decision about a request, if there is a log."""
    if sites.log is None:
        return
    now = sites.clock()
    site, agent = sites.find(request.url), sites.agent(request)
    access = None
    if is_for_robots_txt(request):
        reason = "robots-txt-itself"
    elif request.meta.get("dont_obey_robotstxt"):
        reason = "dont-obey-robotstxt"
    elif site is not None and site.access is not None and reason in (None, KEPT_FROM_USE):
        access = site.access
        verdict = verdict or site.rules_for(agent).check(request.url)
        reason = reason or verdict.reason.code
    facts = sites.facts.of(request)
    sites.log.write(
        decision(
            facts.id,
            request.method,
            without_password(request.url),
            facts.judged or facts.sent or now,
            made=made,
            reason=reason or "no-robots-txt",
            sent=facts.sent if made else None,
            verdict=verdict,
            robots=None if access is None or site is None else site.evidence(sites.log),
            age=None if site is None or access is None else now - site.rules_for(agent).access_time,
            waited=sites.facts.waited(request, sites.monotonic()),
            gap=facts.gap if made else None,
            status=status,
            error=error,
            usage=None if usage is None else usage_record(usage),
        ).text((facts.ended or now) if made else None, sites.constants(request))
    )


def write_page_down(
    sites: Sites,
    request: Request,
    said: Usage,
    *,
    reason: str,
    made: bool = True,
    status: int | None = None,
    error: str | None = None,
    page: Page | None = None,
) -> None:
    """Log the usage preferences of a page that was read, or the reason why it was not delivered."""
    if sites.log is None:
        return
    site = sites.find(request.url)
    sites.log.write(
        decision(
            sites.facts.of(request).id,
            request.method,
            without_password(request.url),
            sites.clock(),
            made=made,
            reason=reason,
            robots=None if site is None else site.evidence(sites.log),
            status=status,
            error=error,
            usage=usage_record(said, whole=True),
            page=None if page is None else page.evidence(),
        ).text(None, sites.constants(request))
    )
