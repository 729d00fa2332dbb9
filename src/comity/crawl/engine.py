"""Run a job with Scrapy, and report its progress."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from http.cookiejar import CookieJar
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import getproxies

import scrapy.core.downloader.contextfactory  # noqa: F401  # it reads the source of the stack, so not from below
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.asyncio import create_looping_call

from ..politeness.identity import Identity
from ..protocol.value import Value
from .facts.link_log import FILE, SIZE, LinkLog
from .frontier import Scheduler, spread
from .job.entry import Postponement
from .job.interface import LEASE, Job, JobUnavailable
from .job.sqlite import SQLiteJob
from .limits.budget import HOST_LIMIT, Budget
from .limits.media import MediaFilter
from .limits.rate import limit_bandwidth
from .monitoring.forecast import Forecast
from .monitoring.metrics import metrics_text
from .monitoring.progress import Progress
from .output.durability import BatchWriter, requeue_incomplete
from .output.mirror import Mirror
from .output.warc import Position, Warc
from .output.warc import recover as recover_warc
from .scope import Scope
from .spider import CrawlSpider

#: Maximum size of a page in bytes, and maximum seconds for its download.
_MAX_PAGE_SIZE, _TIMEOUT = 15_000_000, 60

#: The download handler, for http and https.
_HANDLER = "comity.crawl.output.reception.CrawlDownloadHandler"

#: Number of pages that may share the bandwidth of --limit-rate before a download takes too long.
_SHARES = 4

#: The middlewares of Scrapy that a crawl needs, in their places. The others would take time for each request
#: and when they are imported: redirects, repeated requests, cookies and passwords are matters of the job.
_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
}

#: The codings of bodies that all readers of WARC files can remove. `warcio check` fails at "br" if a library
#: for it is installed, and pywb cannot replay "zstd".
_ARCHIVED = {"Accept-Encoding": "gzip, deflate"}

#: Seconds between two progress reports; more for a shared job, whose server is asked for each of them.
_PROGRESS_INTERVAL, _SHARED_PROGRESS_INTERVAL = 0.25, 2.0

#: Maximum seconds until a stopped run ends. Requests in progress are then queued for the next run.
_STOP_TIMEOUT = 10.0


class CrawlOptions(Value):
    """The options of a run."""

    identity: Identity
    #: name of the access policy, and of the dialect; None for the dialect of the policy
    policy: str
    dialect: str | None
    #: way to compare names; None for that of the dialect
    agent_match: str | None
    acap: bool
    scope: Scope
    #: folder for pages and decisions
    folder: Path
    #: store of robots.txt files, in the form of `COMITY_STORE`
    store: str
    #: minimum seconds between two requests to a host
    delay: float
    #: minimum multiple of the response time between two requests; None for none
    slow_down: float | None
    limit: int | None
    respect: Sequence[str]
    force_start: bool
    sitemaps: bool
    #: whether pages are stored in a WARC rather than in a mirror folder
    warc: bool
    #: whether the links of stored pages are converted after the run
    convert_links: bool
    #: "page" if each page waits for the disk, "batch" if pages are written to it in batches
    durability: str
    #: maximum size of a WARC file in bytes; None for one file of any size
    warc_size: int | None
    #: whether links are checked, and no pages stored
    only_check: bool
    #: whether the delay before each request is multiplied by a random number from 1 to 2
    random_wait: bool
    #: media types that are stored; all if empty
    media: Sequence[str]
    #: maximum size of a page in bytes
    max_size: float | None
    #: maximum bandwidth in bytes per second
    limit_rate: float | None
    #: maximum seconds of the run
    max_time: float | None
    #: maximum number of stored bytes of the job, and of pages per host
    max_bytes: float | None
    limit_per_host: int | None
    #: path of the browser that renders pages; None if pages are not rendered
    browser: str | None
    #: Authorization field per origin
    authorization: Mapping[str, str]
    #: cookies to send, and to keep those of responses in; None for no cookies
    cookies: CookieJar | None
    #: host and port of the metrics; None for no metrics
    metrics: tuple[str, int] | None


def run(job: Job, options: CrawlOptions, watch: Callable[[Progress], None] | None = None) -> Progress:
    """Run a job until nothing is left to do, and return its progress; `watch` receives progress meanwhile.

    A process can call it once, because Scrapy can be started once. Raises `JobUnavailable` if results cannot
    be stored; unfinished URLs stay queued then.
    """
    process = AsyncCrawlerProcess(_settings(options))  # configures the loggers
    for name in ("scrapy", "comity"):  # the closing report says what matters
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).setLevel(logging.WARNING)  # creates no record for each request
    crawler = process.create_crawler(CrawlSpider)
    schedulers: list[Scheduler] = []
    recover(options.folder, job.worker_metadata())
    output = None if options.only_check else _output(job, options)
    writer = _batch_writer(job, options, output)
    links = LinkLog(options.folder / FILE, _size(job.worker_metadata(), SIZE))

    def opened() -> None:
        scheduler = crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings
        schedulers.append(scheduler)
        renewal = create_looping_call(scheduler.renew)
        renewal.start(LEASE / 3, now=False)
        crawler.signals.connect(renewal.stop, signals.spider_closed, weak=False)
        forecast = None
        if options.max_bytes is None and options.limit_per_host is None:  # their ends cannot be known
            forecast = Forecast(job, scheduler.activity, options.limit, options.max_time)
        stopping_since: list[float] = []

        def report() -> None:
            if not crawler.crawling:
                stopping_since.append(time.monotonic())
                if stopping_since[-1] - stopping_since[0] > _STOP_TIMEOUT:
                    process._stop_reactor()  # as after a second interruption
            if writer is not None:
                writer.tick()
            if watch is not None:
                watch(_progress(job, scheduler, forecast, stopping=not crawler.crawling))

        reports = create_looping_call(report)
        reports.start(_PROGRESS_INTERVAL if isinstance(job, SQLiteJob) else _SHARED_PROGRESS_INTERVAL)
        if options.limit_rate is not None:
            scheduler.bandwidth = limit_bandwidth(crawler, options.limit_rate)
        crawler.signals.connect(reports.stop, signals.spider_closed, weak=False)

    crawler.signals.connect(opened, signals.spider_opened)
    crawl = process.crawl(crawler, job=job, output=output, links=links, **_spider_options(options))
    if options.metrics is not None:
        from .monitoring.server import serve_metrics  # imports a web server

        serve_metrics(
            *options.metrics,
            lambda: "".join(metrics_text(each.activity, _progress(job, each)) for each in schedulers),
        )
    try:
        process.start()
    finally:
        links.close()
        if writer is not None:
            writer.close()
        if isinstance(output, Warc):
            output.close()
    _check_end(crawl)
    if schedulers and schedulers[0].error is not None:
        raise JobUnavailable(f"results cannot be stored: {schedulers[0].error}")
    return _progress(job, schedulers[0] if schedulers else None)


def _check_end(crawl: "asyncio.Task[None]") -> None:
    """Raise the error that ended a crawl, such as a log that cannot be written."""
    error = crawl.exception() if crawl.done() and not crawl.cancelled() else None
    if isinstance(error, OSError):
        why = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise JobUnavailable(f"{error.filename}: {why.strerror}") from error
    if error is not None:
        raise error


def _spider_options(options: CrawlOptions) -> dict[str, Any]:
    return {
        "scope": options.scope,
        "limit": options.limit,
        "force_start": options.force_start,
        "sitemaps": options.sitemaps,
        "authorization": options.authorization,
        "cookies": options.cookies,
        "spread": spread if options.random_wait else None,
        "budget": Budget(
            seconds=options.max_time, size=options.max_bytes, pages_per_host=options.limit_per_host
        ),
        "media": MediaFilter(options.media, has_max_size=options.max_size is not None),
    }


def recover(folder: Path, worker_metadata: Mapping[str, object]) -> None:
    """Restore a worker's folder after a kill to the state that the job has recorded."""
    Mirror(folder / "mirror").recover(worker_metadata.get("file"), worker_metadata.get("sha256"))
    recover_warc(folder, Position.of(worker_metadata))
    facts, size = folder / FILE, _size(worker_metadata, SIZE)
    if facts.exists() and facts.stat().st_size > size:
        os.truncate(facts, size)


def _size(worker_metadata: Mapping[str, object], key: str) -> int:
    size = worker_metadata.get(key, 0)
    return size if isinstance(size, int) else 0


def _output(job: Job, options: CrawlOptions) -> Mirror | Warc:
    if options.warc:
        return _warc(job, options)
    waits = not _has_batches(job, options)
    return Mirror(options.folder / "mirror", extensions=options.convert_links, wait_for_disk=waits)


def _has_batches(job: Job, options: CrawlOptions) -> bool:
    """Return whether pages are written to the disk in batches; the workers of a shared job write each."""
    return options.durability == "batch" and isinstance(job, SQLiteJob)


def _batch_writer(job: Job, options: CrawlOptions, output: Mirror | Warc | None) -> BatchWriter | None:
    """Queue the pages again that the last run did not write completely, and begin a batch."""
    if not isinstance(job, SQLiteJob):
        return None
    requeue_incomplete(job, Mirror(options.folder / "mirror"))
    mirror = output if isinstance(output, Mirror) else None
    return BatchWriter(job, mirror) if _has_batches(job, options) else None


def _warc(job: Job, options: CrawlOptions) -> Warc:
    """Open the WARC files of a worker, after the part that the job has recorded."""
    about = [("robots", "obey"), ("http-header-user-agent", options.identity.user_agent)]
    if options.identity.contact:
        about.append(("http-header-from", options.identity.contact))
    return Warc(options.folder, Position.of(job.worker_metadata()), about, options.warc_size)


def _progress(
    job: Job, scheduler: Scheduler | None, forecast: Forecast | None = None, *, stopping: bool = False
) -> Progress:
    now, outcomes = time.time(), job.outcomes()
    if scheduler is None:
        return Progress(
            outcomes, job.stored_bytes(), (), {}, _postponed(job), stopping, True, (), 0.0, None, (), ()
        )
    return Progress(
        outcomes,
        job.stored_bytes(),
        in_progress=tuple(scheduler.in_progress),
        waiting={origin: wait for origin, wait in scheduler.waits.items() if wait.until > now},
        postponed=_postponed(job),
        stopping=stopping,
        stopped=scheduler.reason != "finished",
        urls=tuple(entry.url for entry in scheduler.in_progress.values()),
        rate=scheduler.activity.rate(),
        remaining=None if forecast is None else forecast.remaining(outcomes),
        errors=tuple(scheduler.activity.errors),
        limits=tuple(sorted(scheduler.budget.reached)),
    )


def _postponed(job: Job) -> dict[str, Postponement]:
    """Return the origins that are postponed, apart from those that wait for a higher limit."""
    return {origin: why for origin, why in job.postponed().items() if why.reason != HOST_LIMIT}


def _settings(options: CrawlOptions) -> dict[str, object]:
    headers = dict(options.identity.headers)
    max_size = int(min(options.max_size or _MAX_PAGE_SIZE, _MAX_PAGE_SIZE))
    slowest = 0.0 if options.limit_rate is None else _SHARES * max_size / options.limit_rate
    return {
        "ADDONS": {"comity.integrations.scrapy.Addon": 500},
        "DOWNLOADER_MIDDLEWARES_BASE": _MIDDLEWARES,
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {
            "comity.crawl.output.decoding.DecodingMiddleware": 590,  # where Scrapy has its own
            "comity.crawl.leases.LeaseMiddleware": 990,
            **_optional_middlewares(options),
        },
        "COMITY_BROWSER": options.browser,
        "SCHEDULER": "comity.crawl.frontier.Scheduler",
        "DUPEFILTER_CLASS": "comity.crawl.frontier.DuplicateFilter",
        "USER_AGENT": headers.pop("User-Agent"),
        "DEFAULT_REQUEST_HEADERS": {"Accept": "*/*", **headers, **(_ARCHIVED if options.warc else {})},
        "ROBOTSTXT_USER_AGENT": options.identity.names[0],
        "COMITY_POLICY": options.policy,
        "COMITY_DIALECT": options.dialect,
        "COMITY_AGENT_MATCH": options.agent_match,
        "COMITY_ACAP": options.acap,
        "COMITY_DELAY": options.delay,
        "COMITY_SLOW_DOWN": options.slow_down,
        "COMITY_MAX_WAIT": 0,  # the scheduler waits, without holding a request
        "COMITY_STORE": options.store,
        "COMITY_RESPECT": list(options.respect),
        "COMITY_NOFOLLOW": False,  # the spider reads `Page.links` itself
        "COMITY_MARK": "",  # the spider has no items to mark
        "COMITY_PUBLIC_ONLY": True,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), _HANDLER),
        "COMITY_PRIVATE_HOSTS": sorted(options.scope.private_hosts),
        "COMITY_LOG": str(options.folder / "decisions.jsonl"),
        "CONCURRENT_ITEMS": 1,  # Scrapy starts a task for each, and the spider has no items
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_MAXSIZE": max_size,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": _TIMEOUT + slowest,
        "WARN_ON_GENERATOR_RETURN_VALUE": False,  # a check of the spider for each response
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop" if find_spec("uvloop") else None,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
    }


def _optional_middlewares(options: CrawlOptions) -> dict[str, float]:
    """Return the middlewares for options that the run has; each would take time for every request."""
    found: dict[str, float] = {}
    if options.browser is not None:
        found["comity.crawl.rendering.middleware.RenderMiddleware"] = 100.5  # between robots.txt and uses
    if options.authorization:
        found["comity.crawl.authorization.AuthorizationMiddleware"] = 300  # where Scrapy has its own
    if options.cookies is not None:
        found["comity.crawl.session.cookies.CookieMiddleware"] = 310
    if getproxies():
        found["scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware"] = 750
    return found
