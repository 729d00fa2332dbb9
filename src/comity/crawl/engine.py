"""Run a job with Scrapy, and report its progress."""

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.asyncio import create_looping_call

from ..politeness.identity import Identity
from ..protocol.value import Value
from .frontier import Scheduler, spread
from .job.entry import Postponement
from .job.interface import LEASE, Job, JobUnavailable
from .output.mirror import Mirror
from .output.warc import Warc
from .scope import Scope
from .spider import CrawlSpider

#: Maximum size of a page in bytes, and maximum seconds for its download.
_MAX_PAGE_SIZE, _TIMEOUT = 15_000_000, 60

#: Seconds between two progress reports.
_PROGRESS_INTERVAL = 0.25

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
    #: whether links are checked, and no pages stored
    only_check: bool
    #: whether the delay before each request is multiplied by a random number from 1 to 2
    random_wait: bool
    #: Authorization field per origin
    authorization: Mapping[str, str]


class Progress(Value):
    """The progress of a run: counts, origins in progress, and waiting and postponed origins."""

    outcomes: dict[str, int]
    stored_bytes: int
    in_progress: tuple[str, ...]
    waiting: dict[str, Postponement]
    postponed: dict[str, Postponement]
    #: whether the run is stopping, and only waits for requests in progress
    stopping: bool
    #: whether the run was stopped before it was finished
    stopped: bool


def run(job: Job, options: CrawlOptions, watch: Callable[[Progress], None] | None = None) -> Progress:
    """Run a job until nothing is left to do, and return its progress; `watch` receives progress meanwhile.

    A process can call it once, because Scrapy can be started once. Raises `JobUnavailable` if results cannot
    be stored; unfinished URLs stay queued then.
    """
    for name in ("scrapy", "comity"):  # the closing report says what matters
        logging.getLogger(name).addHandler(logging.NullHandler())
    process = AsyncCrawlerProcess(_settings(options))
    crawler = process.create_crawler(CrawlSpider)
    schedulers: list[Scheduler] = []
    recover(options.folder, job.worker_metadata())
    output = None if options.only_check else _output(job, options)

    def opened() -> None:
        scheduler = crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings
        schedulers.append(scheduler)
        renewal = create_looping_call(scheduler.renew)
        renewal.start(LEASE / 3, now=False)
        crawler.signals.connect(renewal.stop, signals.spider_closed, weak=False)
        stopping_since: list[float] = []

        def report() -> None:
            if not crawler.crawling:
                stopping_since.append(time.monotonic())
                if stopping_since[-1] - stopping_since[0] > _STOP_TIMEOUT:
                    process._stop_reactor()  # as after a second interruption
            if watch is not None:
                watch(_progress(job, scheduler, stopping=not crawler.crawling))

        reports = create_looping_call(report)
        reports.start(_PROGRESS_INTERVAL)
        crawler.signals.connect(reports.stop, signals.spider_closed, weak=False)

    crawler.signals.connect(opened, signals.spider_opened)
    process.crawl(
        crawler,
        job=job,
        scope=options.scope,
        output=output,
        limit=options.limit,
        force_start=options.force_start,
        sitemaps=options.sitemaps,
        authorization=options.authorization,
        spread=spread if options.random_wait else None,
    )
    try:
        process.start()
    finally:
        if isinstance(output, Warc):
            output.close()
    if schedulers and schedulers[0].error is not None:
        raise JobUnavailable(f"results cannot be stored: {schedulers[0].error}")
    return _progress(job, schedulers[0] if schedulers else None)


def recover(folder: Path, worker_metadata: Mapping[str, object]) -> None:
    """Restore a worker's folder after a kill to the state that the job has recorded."""
    Mirror(folder / "mirror").recover(worker_metadata.get("file"), worker_metadata.get("sha256"))
    warc, size = folder / "crawl.warc.gz", _warc_size(worker_metadata)
    if warc.exists() and warc.stat().st_size > size:
        os.truncate(warc, size)


def _warc_size(worker_metadata: Mapping[str, object]) -> int:
    size = worker_metadata.get("warc", 0)
    return size if isinstance(size, int) else 0


def _output(job: Job, options: CrawlOptions) -> Mirror | Warc:
    return _warc(job, options) if options.warc else Mirror(options.folder / "mirror")


def _warc(job: Job, options: CrawlOptions) -> Warc:
    """Open the WARC of a worker, after the part that the job has recorded."""
    about = [("robots", "obey"), ("http-header-user-agent", options.identity.user_agent)]
    if options.identity.contact:
        about.append(("http-header-from", options.identity.contact))
    return Warc(options.folder / "crawl.warc.gz", _warc_size(job.worker_metadata()), about)


def _progress(job: Job, scheduler: Scheduler | None, *, stopping: bool = False) -> Progress:
    now, waiting, stopped = time.time(), {}, True
    in_progress: tuple[str, ...] = ()
    if scheduler is not None:
        waiting = {origin: wait for origin, wait in scheduler.waits.items() if wait.until > now}
        in_progress, stopped = tuple(scheduler.in_progress), scheduler.reason != "finished"
    return Progress(
        job.outcomes(), job.stored_bytes(), in_progress, waiting, job.postponed(), stopping, stopped
    )


def _settings(options: CrawlOptions) -> dict[str, object]:
    headers = dict(options.identity.headers)
    return {
        "ADDONS": {"comity.integrations.scrapy.Addon": 500},
        "DOWNLOADER_MIDDLEWARES": {
            "comity.crawl.authorization.AuthorizationMiddleware": 300,  # where Scrapy has its own
            "comity.crawl.leases.LeaseMiddleware": 990,
        },
        "SCHEDULER": "comity.crawl.frontier.Scheduler",
        "DUPEFILTER_CLASS": "comity.crawl.frontier.DuplicateFilter",
        "USER_AGENT": headers.pop("User-Agent"),
        "DEFAULT_REQUEST_HEADERS": {"Accept": "*/*", **headers},
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
        "COMITY_PRIVATE_HOSTS": sorted(options.scope.private_hosts),
        "COMITY_LOG": str(options.folder / "decisions.jsonl"),
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_MAXSIZE": _MAX_PAGE_SIZE,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": _TIMEOUT,
        "REDIRECT_ENABLED": False,  # the target of a redirect is a URL of the job, fetched once
        "METAREFRESH_ENABLED": False,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,  # avoids session-specific URLs
        "REFERER_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
    }
