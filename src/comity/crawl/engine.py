"""Run a job with Scrapy, and report its progress."""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import scrapy.core.downloader.contextfactory  # noqa: F401  # it reads the source of the stack, so not from below
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.utils.asyncio import create_looping_call

from .frontier import Scheduler, scheduler_of, spread
from .job.interface import LEASE, Job, JobUnavailable
from .limits.budget import HOST_LIMIT, Budget
from .limits.heap import use_one_heap
from .limits.media import MediaFilter
from .limits.rate import Bandwidth
from .monitoring.forecast import Forecast
from .monitoring.metrics import metrics_text
from .monitoring.progress import Progress
from .options import CrawlOptions
from .output.worker_folder import WorkerFolder
from .settings import settings_of
from .spider import CrawlSpider

#: Seconds between two progress reports; more for a shared job, whose server is asked for each of them.
_PROGRESS_INTERVAL, _SHARED_PROGRESS_INTERVAL = 0.25, 2.0

#: Maximum seconds until a stopped run ends. Requests in progress are then queued for the next run.
_STOP_TIMEOUT = 10.0


def run(job: Job, options: CrawlOptions, watch: Callable[[Progress], None] | None = None) -> Progress:
    """Run a job until nothing is left to do, and return its progress; `watch` receives progress meanwhile.

    A process can call it once, because Scrapy can be started once. Raises `JobUnavailable` if results cannot
    be stored; unfinished URLs stay queued then.
    """
    use_one_heap()
    use_authorities()
    process = AsyncCrawlerProcess(settings_of(options))  # configures the loggers
    for name in ("scrapy", "comity"):  # the closing report says what matters
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).setLevel(logging.WARNING)  # creates no record for each request
    crawler = process.create_crawler(CrawlSpider)
    with WorkerFolder(job, options) as folder:
        tasks = _Tasks(job, options, crawler, folder, watch)
        crawl = process.crawl(
            crawler, job=job, output=folder.output, links=folder.links, **_spider_options(options)
        )
        if options.metrics is not None:
            from .monitoring.server import serve_metrics  # imports a web server

            serve_metrics(*options.metrics, tasks.metrics)
        process.start()
    _check_end(crawl)
    if tasks.scheduler is not None and tasks.scheduler.error is not None:
        raise JobUnavailable(f"results cannot be stored: {tasks.scheduler.error}")
    return tasks.progress()


class _Tasks:
    """The regular tasks of a run: it renews leases, writes batches, reports progress, and ends in time."""

    def __init__(
        self,
        job: Job,
        options: CrawlOptions,
        crawler: Crawler,
        folder: WorkerFolder,
        watch: Callable[[Progress], None] | None,
    ) -> None:
        """Start the tasks when the spider is opened."""
        self._job = job
        self._options = options
        self._crawler = crawler
        self._folder = folder
        self._watch = watch
        #: the scheduler of the run, and the forecast of its end; None before the spider is opened
        self.scheduler: Scheduler | None = None
        self._forecast: Forecast | None = None
        #: time when the run began to stop, and its stop without the requests in progress
        self._stopping_since: float | None = None
        self._stop: asyncio.Future[None] | None = None
        crawler.signals.connect(self._opened, signals.spider_opened)

    def _opened(self) -> None:
        job, options = self._job, self._options
        scheduler = self.scheduler = scheduler_of(self._crawler)
        if options.max_bytes is None and options.limit_per_host is None:  # their ends cannot be known
            self._forecast = Forecast(job, scheduler.activity, options.limit, options.max_time)
        self._repeat(scheduler.renew, LEASE / 3, now=False)
        self._repeat(
            partial(self._tick, scheduler),
            _PROGRESS_INTERVAL if job.worker is None else _SHARED_PROGRESS_INTERVAL,
        )

    def _repeat(self, task: Callable[[], None], seconds: float, *, now: bool = True) -> None:
        loop = create_looping_call(task)
        loop.start(seconds, now=now)
        self._crawler.signals.connect(loop.stop, signals.spider_closed, weak=False)

    def _tick(self, scheduler: Scheduler) -> None:
        is_stopped, budget = not self._crawler.crawling, scheduler.budget
        if is_stopped or not budget.remaining:
            self._stopping_since = self._stopping_since or time.monotonic()
            if time.monotonic() - self._stopping_since > _STOP_TIMEOUT:
                if not is_stopped:
                    budget.is_spent(self._job)  # the report names this limit
                self._stop_now()
        self._folder.tick()
        if self._watch is not None:
            self._watch(self.progress())

    def _stop_now(self) -> None:
        """Stop without waiting for requests in progress, as Scrapy does after a second interruption."""
        from twisted.internet import reactor  # installed by Scrapy, so not at the import of this module

        self._stop = asyncio.ensure_future(self._crawler.stop_async())  # otherwise the reactor waits for it
        with suppress(RuntimeError):  # it is stopping already
            reactor.stop()  # type: ignore[misc]  # a module that has the methods of a reactor

    def metrics(self) -> str:
        """Return the metrics of the run; none before the spider is opened."""
        return "" if self.scheduler is None else metrics_text(self.scheduler.activity, self.progress())

    def progress(self) -> Progress:
        """Return the progress of the run."""
        job, scheduler, now = self._job, self.scheduler, time.time()
        outcomes, stored_bytes = job.outcomes(), job.visited_bytes()
        # Origins that wait for a higher limit are not postponed by their sites.
        postponed = {origin: why for origin, why in job.postponed().items() if why.reason != HOST_LIMIT}
        stopping = not self._crawler.crawling
        if scheduler is None:
            return Progress(outcomes, stored_bytes, (), {}, postponed, stopping, True, (), 0.0, None, (), ())
        return Progress(
            outcomes,
            stored_bytes,
            in_progress=tuple(scheduler.in_progress),
            waiting={origin: wait for origin, wait in scheduler.waits.items() if wait.until > now},
            postponed=postponed,
            stopping=stopping,
            stopped=scheduler.reason != "finished" and "max-time" not in scheduler.budget.reached,
            urls=tuple(entry.url for entry in scheduler.in_progress.values()),
            rate=scheduler.activity.rate(),
            remaining=None if self._forecast is None else self._forecast.remaining(outcomes),
            errors=tuple(scheduler.activity.errors),
            limits=tuple(sorted(scheduler.budget.reached)),
        )


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
        "bandwidth": None if options.limit_rate is None else Bandwidth(options.limit_rate),
        "media": MediaFilter(options.media, has_max_size=options.max_size is not None),
    }


def use_authorities() -> None:
    """Name a file of authorities to OpenSSL on macOS and Windows, where the system has none.

    Does nothing if a variable of OpenSSL names others.
    """
    if sys.platform != "linux" and not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys():
        import certifi  # of the extra `crawl`, on these systems only

        os.environ["SSL_CERT_FILE"] = certifi.where()
