"""Scrapy as the engine of a job: its settings, a run, and what can be seen of it meanwhile."""

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
from .frontier import Scheduler
from .job.interface import LEASE, Job, JobUnusable
from .output.mirror import Mirror
from .output.warc import Warc
from .scope import Scope
from .spider import CrawlSpider

__all__ = ["Progress", "Task", "recover", "run"]

#: The largest page, in octets, and the longest time that one may take, in seconds.
_LARGEST, _LONGEST = 15_000_000, 60

#: Seconds between two looks at the progress.
_BEAT = 0.25


class Task(Value):
    """What a run is to do beside what its job says."""

    __slots__ = (
        "identity",
        "scope",
        "folder",
        "store",
        "delay",
        "limit",
        "respect",
        "force_start",
        "sitemaps",
        "warc",
    )
    identity: Identity
    scope: Scope
    #: where pages and decisions are written
    folder: Path
    #: where robots.txt files are kept, as `COMITY_STORE` takes it
    store: str
    #: the least gap between two requests to an origin, in seconds
    delay: float
    limit: int | None
    respect: Sequence[str]
    force_start: bool
    sitemaps: bool
    #: is it one WARC that pages are stored in, and not a folder?
    warc: bool


class Progress(Value):
    """How far a run is: what its job has come to, who is asked now, and who waits until when and why."""

    __slots__ = ("outcomes", "octets", "under_way", "waiting", "left", "stopping", "stopped")
    outcomes: dict[str, int]
    octets: int
    under_way: tuple[str, ...]
    waiting: dict[str, tuple[float, str]]
    left: dict[str, tuple[float, str]]
    #: is the run being stopped, and does it wait for what is under way?
    stopping: bool
    #: was it stopped before its end?
    stopped: bool


def run(job: Job, task: Task, watch: Callable[[Progress], None] | None = None) -> Progress:
    """Go on with a job until nothing is left to do, and give how far it is; `watch` is told meanwhile.

    It can be called once in a process, since Scrapy can be started once. Raises `JobUnusable` where nothing
    can be stored; what is wanted then is wanted still.
    """
    for name in ("scrapy", "comity"):  # what matters of it is in the report
        logging.getLogger(name).addHandler(logging.NullHandler())
    process = AsyncCrawlerProcess(_settings(task))
    crawler = process.create_crawler(CrawlSpider)
    seen: list[Scheduler] = []
    recover(task.folder, job.mine())
    home = _warc(job, task) if task.warc else Mirror(task.folder / "mirror")

    def opened() -> None:
        scheduler = crawler.engine.scheduler
        assert isinstance(scheduler, Scheduler)  # noqa: S101  # by the settings
        seen.append(scheduler)
        renewal = create_looping_call(scheduler.renew)
        renewal.start(LEASE / 3, now=False)
        crawler.signals.connect(renewal.stop, signals.spider_closed, weak=False)
        if watch is not None:
            beat = create_looping_call(
                lambda: watch(_progress(job, scheduler, stopping=not crawler.crawling))
            )
            beat.start(_BEAT)
            crawler.signals.connect(beat.stop, signals.spider_closed, weak=False)

    crawler.signals.connect(opened, signals.spider_opened)
    process.crawl(
        crawler,
        job=job,
        scope=task.scope,
        home=home,
        limit=task.limit,
        force_start=task.force_start,
        sitemaps=task.sitemaps,
    )
    try:
        process.start()
    finally:
        if isinstance(home, Warc):
            home.close()
    if seen and seen[0].trouble is not None:
        raise JobUnusable(f"nothing can be stored: {seen[0].trouble}")
    return _progress(job, seen[0] if seen else None)


def recover(folder: Path, known: Mapping[str, object]) -> None:
    """Make up for a kill: in a folder is what its job knows of, as `Job.mine` gives it, and no more."""
    Mirror(folder / "mirror").recover(known.get("file"), known.get("sha256"))
    warc, size = folder / "crawl.warc.gz", _size(known)
    if warc.exists() and warc.stat().st_size > size:
        os.truncate(warc, size)


def _size(known: Mapping[str, object]) -> int:
    size = known.get("warc", 0)
    return size if isinstance(size, int) else 0


def _warc(job: Job, task: Task) -> Warc:
    """Give the WARC of a job, which goes on after what the job knows of."""
    about = [("robots", "obey"), ("http-header-user-agent", task.identity.user_agent)]
    if task.identity.contact:
        about.append(("http-header-from", task.identity.contact))
    return Warc(task.folder / "crawl.warc.gz", _size(job.mine()), about)


def _progress(job: Job, scheduler: Scheduler | None, *, stopping: bool = False) -> Progress:
    now, waiting, stopped = time.time(), {}, True
    under_way: tuple[str, ...] = ()
    if scheduler is not None:
        waiting = {origin: wait for origin, wait in scheduler.waits.items() if wait[0] > now}
        under_way, stopped = tuple(scheduler.under_way), scheduler.reason != "finished"
    return Progress(job.outcomes(), job.octets(), under_way, waiting, job.left(), stopping, stopped)


def _settings(task: Task) -> dict[str, object]:
    headers = dict(task.identity.headers)
    return {
        "ADDONS": {"comity.integrations.scrapy.Addon": 500},
        "DOWNLOADER_MIDDLEWARES": {"comity.crawl.turns.TurnMiddleware": 990},
        "SCHEDULER": "comity.crawl.frontier.Scheduler",
        "DUPEFILTER_CLASS": "comity.crawl.frontier.DuplicateFilter",
        "USER_AGENT": headers.pop("User-Agent"),
        "DEFAULT_REQUEST_HEADERS": {"Accept": "*/*", **headers},
        "ROBOTSTXT_USER_AGENT": task.identity.names[0],
        "COMITY_DELAY": task.delay,
        "COMITY_MAX_WAIT": 0,  # the scheduler waits, and holds nothing meanwhile
        "COMITY_STORE": task.store,
        "COMITY_RESPECT": list(task.respect),
        "COMITY_NOFOLLOW": False,  # the spider follows `Page.links` alone, and has no items to be marked
        "COMITY_MARK": "",
        "COMITY_LOG": str(task.folder / "decisions.jsonl"),
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_MAXSIZE": _LARGEST,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": _LONGEST,
        "REDIRECT_ENABLED": False,  # a redirect is a page of the job, so that none is fetched twice
        "METAREFRESH_ENABLED": False,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,  # whoever comes without a session gets no address with one
        "REFERER_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
    }
