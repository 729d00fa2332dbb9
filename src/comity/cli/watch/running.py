"""Run the watch until it is done, or until a signal stops it."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ...desk import SiteCredentials
from ...files import create_private_folder
from ...politeness import Identity
from ...politeness.concurrency import Clock, SystemClock
from ...politeness.log_files import ANSWERS
from ...stores import AsyncSQLiteStore, VersionStore
from .delivery import Recipient
from .fetching import SiteFetcher
from .journal import Journal
from .publisher import Publisher
from .schedule import Schedule
from .watcher import Watcher


class WatchSettings(NamedTuple):
    """What to watch, and how."""

    origins: tuple[str, ...]
    folder: Path
    every: float
    patience: float
    agents: Sequence[str | tuple[str, ...]] | None
    sitemaps: bool
    all_changes: bool
    feed_file: Path | None
    as_json: bool
    public_only: bool
    once: bool


class Totals(NamedTuple):
    """The result of a watch: counts, sites with problems, what could not be written, and the end."""

    checks: int
    changes: int
    problems: dict[str, str]
    failures: tuple[str, ...]
    was_stopped: bool


def watch(
    settings: WatchSettings,
    identity: Identity,
    credentials: SiteCredentials,
    recipients: Sequence[Recipient],
    *,
    clock: Clock | None = None,
) -> Totals:
    """Watch sites, and return the result. Raises `OSError` if the folder cannot be used."""
    create_private_folder(settings.folder.absolute())
    store = VersionStore(settings.folder)
    try:
        journal = Journal(store.body, settings.origins, agents=settings.agents)
        publisher = Publisher(
            store,
            journal,
            recipients,
            feed_file=settings.feed_file,
            as_json=settings.as_json,
            all_changes=settings.all_changes,
            once=settings.once,
        )
        totals = asyncio.run(_watch(settings, identity, credentials, store, journal, publisher, clock))
        publisher.finish()
        return totals._replace(changes=publisher.changes)
    finally:
        store.close()


async def _watch(
    settings: WatchSettings,
    identity: Identity,
    credentials: SiteCredentials,
    store: VersionStore,
    journal: Journal,
    publisher: Publisher,
    clock: Clock | None,
) -> Totals:
    answers = AsyncSQLiteStore(settings.folder / ANSWERS)
    async with SiteFetcher(
        identity, credentials, answers, clock=clock, public_only=settings.public_only
    ) as fetcher:
        watcher = Watcher(
            settings.origins,
            fetcher,
            store,
            journal,
            publisher,
            Schedule(settings.every, settings.patience),
            SystemClock() if clock is None else clock,
            sitemaps=settings.sitemaps,
        )
        was_stopped = await _until_stopped(watcher, once=settings.once)
    failures = [
        *filter(None, [watcher.unstored, publisher.unwritten]),
        *(delivery.recipient.name for delivery in publisher.behind),
    ]
    return Totals(watcher.checks, publisher.changes, watcher.problems, tuple(failures), was_stopped)


async def _until_stopped(watcher: Watcher, *, once: bool) -> bool:
    """Run the watch. Return whether a signal has stopped it."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(watcher.run(once=once))
    was_stopped = False

    def stop() -> None:
        nonlocal was_stopped
        was_stopped = True
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        # Not on Windows, and not in a thread: there the signals have their default actions.
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, stop)
    try:
        await task
    except asyncio.CancelledError:
        if not was_stopped:
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)
    return was_stopped
