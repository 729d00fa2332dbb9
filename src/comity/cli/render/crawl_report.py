"""What `comity crawl` tells: how far it is while it runs, and what came of it."""

import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from ...crawl.report.wording import OUTCOMES, octets_told, pages_told, worded
from ...protocol.robotstxt.verdict import printable

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

    from ...crawl.engine import Progress
    from ...crawl.job.interface import Job

__all__ = ["Display", "record", "show", "status_of"]

_REFUSED = ("disallowed", "usage-disallowed")

#: So many lines of a kind are shown; the others are counted.
_SHOWN = 8

#: Seconds between two lines where nobody looks on.
_MINUTE = 60.0


class Display:
    """Shows how far a crawl is: on a terminal at any moment, and else by a line a minute on standard error.

    A crawl of less than a minute says nothing there.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Get ready; `clock` gives seconds."""
        self._clock = clock
        self._next = clock() + _MINUTE
        self._live: "Live | None" = None  # noqa: UP037  # only type checkers know it here
        if sys.stderr is not None and sys.stderr.isatty():
            from rich import live
            from rich.console import Console

            self._live = live.Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def watch(self, progress: "Progress") -> None:
        """Show how far the crawl is now."""
        if self._live is not None:
            self._live.update(_table(progress), refresh=True)
        elif self._clock() >= self._next:
            self._next = self._clock() + _MINUTE
            with suppress(OSError):  # if nobody can be told, the crawl goes on
                click.echo(_line(progress), err=True)


def _table(progress: "Progress") -> "Group":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    outcomes = progress.outcomes
    table.add_row(
        worded("stored"), f"{pages_told(outcomes.get('stored', 0))}, {octets_told(progress.octets)}"
    )
    table.add_row(worded("wanted"), f"{outcomes.get('wanted', 0):,}, {len(progress.under_way):,} under way")
    for outcome, count in outcomes.items():
        if outcome not in ("stored", "wanted"):
            table.add_row(worded(outcome), f"{count:,}", style="red" if outcome in _REFUSED else "")
    waits = sorted((until, origin, why) for origin, (until, why) in progress.waiting.items())
    for until, origin, why in waits[:_SHOWN]:
        words = (
            Text(each, no_wrap=True, overflow="ellipsis") for each in (printable(origin), _until(until, why))
        )
        table.add_row(*words, style="dim")
    if len(waits) > _SHOWN:
        table.add_row("", f"{len(waits) - _SHOWN:,} more wait", style="dim")
    if progress.stopping:
        told = f"Stopping after {pages_told(len(progress.under_way))} under way; Ctrl-C: at once"
    else:
        told = "Ctrl-C: stop after the pages under way; twice: at once"
    return Group(table, Text(told, style="dim", no_wrap=True, overflow="ellipsis"))


def _line(progress: "Progress") -> str:
    """Give how far a crawl is as one line, with the site that waits longest."""
    outcomes, waiting = progress.outcomes, progress.waiting
    told = [
        f"{pages_told(outcomes.get('stored', 0))} stored, {octets_told(progress.octets)}",
        f"{outcomes.get('wanted', 0):,} wanted",
        f"{len(waiting):,} {'site waits' if len(waiting) == 1 else 'sites wait'}",
    ]
    if waiting:
        origin, wait = max(waiting.items(), key=lambda one: one[1][0])
        told.append(f"{'' if len(waiting) == 1 else 'longest '}{printable(origin)} {_until(*wait)}")
    return "; ".join(told)


def _until(until: float, why: str) -> str:
    return printable(f"until {_clock(until)}" + (f": {why}" if why else ""))


def status_of(job: "Job", progress: "Progress", *, limit: int | None) -> int:
    """Give the exit status: 3 for what could not be had, 1 for a start that may not be, 130 if stopped."""
    if progress.stopped:
        return 130
    is_full = limit is not None and progress.outcomes.get("stored", 0) >= limit
    if progress.outcomes.get("wanted", 0) and not is_full:
        return 3
    starts = {result.outcome for _, _, start, _, result in job.results() if start}
    missing = starts.intersection(("no-page", "failed", "too-large"))
    if missing or progress.left or progress.outcomes.get("failed", 0):
        return 3
    return 1 if starts.intersection(_REFUSED) else 0


def show(job: "Job", progress: "Progress", folder: Path, *, shared: bool, limit: int | None) -> None:
    """Print what came of a crawl, which others have a part in if it is `shared`.

    `limit` is how many pages the job may store.
    """
    outcomes, reached = progress.outcomes, _is_reached(limit, progress)
    told = f"{pages_told(outcomes.get('stored', 0))} stored, {octets_told(progress.octets)}"
    click.echo(f"{printable(str(folder))}: {told}{' (stopped)' if progress.stopped else ''}")
    for outcome, words in OUTCOMES.items():
        if outcomes.get(outcome) and outcome not in ("stored", "wanted"):
            click.echo(f"  {outcomes[outcome]:,} {words}")
    if outcomes.get("wanted"):
        beyond = f"more wanted, beyond the limit of {limit} (--resume --limit N goes on)"
        click.echo(f"  {outcomes['wanted']:,} {beyond if reached else 'wanted, left for the next run'}")
    for reason, count in job.omitted().items():
        click.echo(f"  {count:,} {'link' if count == 1 else 'links'} not followed: {reason}")
    refusals = _refusals(job)
    for (source, why), (count, url) in refusals[:_SHOWN]:
        click.secho(f"{printable(source)}: {printable(why)}", fg="red")
        click.echo(f"  {printable(url)}" + (f" and {count - 1:,} more" if count > 1 else ""))
    if len(refusals) > _SHOWN:
        click.echo(f"{len(refusals) - _SHOWN:,} more reasons of the kind")
    forced = _forced(job)
    for url, why_forced in forced[:_SHOWN]:
        click.secho(f"forced: {printable(url)}: {printable(why_forced)}", fg="yellow")
    if len(forced) > _SHOWN:
        click.echo(f"{len(forced) - _SHOWN:,} more forced")
    failures = [(url, result.why) for url, _, _, _, result in job.results() if result.outcome == "failed"]
    for url, why_failed in failures[:_SHOWN]:
        click.echo(f"failed: {printable(url)}: {printable(why_failed or '')}")
    if len(failures) > _SHOWN:
        click.echo(f"{len(failures) - _SHOWN:,} more failed")
    for origin, (until, why) in progress.left.items():
        click.echo(f"left: {printable(origin)} until {_clock(until)}: {printable(why)}")
    if (progress.stopped or progress.left) and not reached:
        server = " --redis URL" if shared else ""
        click.echo(f"To go on: comity crawl --resume --job {shlex.quote(printable(str(folder)))}{server}")


def _refusals(job: "Job") -> list[tuple[tuple[str, str], tuple[int, str]]]:
    """Give the words by which pages were left out, with how many and the first, most first."""
    count: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for url, _, _, _, result in job.results():
        if result.outcome in _REFUSED:
            key = result.source or "", result.why or ""
            count[key] += 1
            first.setdefault(key, url)
    return [(key, (number, first[key])) for key, number in count.most_common()]


def _forced(job: "Job") -> list[tuple[str, str]]:
    """Give the pages that robots.txt forbids and the operator had fetched, with what is said of that."""
    return [
        (url, result.why)
        for url, _, _, _, result in job.results()
        if result.outcome == "stored" and result.why is not None
    ]


def _is_reached(limit: int | None, progress: "Progress") -> bool:
    return limit is not None and progress.outcomes.get("stored", 0) >= limit


def record(job: "Job", progress: "Progress", folder: Path, *, limit: int | None) -> dict[str, Any]:
    """Give what came of a crawl as JSON has it; `limit` is how many pages the job may store."""
    return {
        "job": printable(str(folder)),
        "finished": not progress.stopped and not progress.outcomes.get("wanted", 0),
        "limit_reached": _is_reached(limit, progress),
        "outcomes": progress.outcomes,
        "octets": progress.octets,
        "not_followed": job.omitted(),
        "refusals": [
            {
                "source": printable(source),
                "explanation": printable(why),
                "pages": count,
                "first": printable(url),
            }
            for (source, why), (count, url) in _refusals(job)
        ],
        "forced": [{"url": printable(url), "explanation": printable(why)} for url, why in _forced(job)],
        "left": {
            printable(origin): {"until": _moment(until), "why": printable(why)}
            for origin, (until, why) in progress.left.items()
        },
    }


def _clock(until: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(until))


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
