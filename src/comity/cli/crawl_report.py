"""What `comity crawl` tells: how far it is while it runs, and what came of it."""

import shlex
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from ..protocol.robotstxt.verdict import printable

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from ..crawl.engine import Progress
    from ..crawl.job import Job

__all__ = ["Display", "record", "show", "status_of"]

#: What became of pages, as it is told of one and of more, in this order.
_OUTCOMES = {
    "redirect": ("redirect", "redirects"),
    "no-page": ("answered with an error", "answered with errors"),
    "failed": ("failed", "failed"),
    "too-large": ("too large", "too large"),
    "disallowed": ("disallowed by robots.txt", "disallowed by robots.txt"),
    "usage-disallowed": ("kept from the use", "kept from the use"),
    "wanted": ("left for the next run", "left for the next run"),
}

_REFUSED = ("disallowed", "usage-disallowed")

#: So many lines of a kind are shown; the others are counted.
_SHOWN = 8


class Display:
    """Shows how far a crawl is, where standard error is a terminal."""

    def __init__(self) -> None:
        """Get ready."""
        self._live: "Live | None" = None  # noqa: UP037  # only type checkers know it here
        if sys.stderr.isatty():
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


def _table(progress: "Progress") -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    stored = progress.outcomes.get("stored", 0)
    table.add_row("stored", f"{stored:,} pages, {_size(progress.octets)}")
    table.add_row("wanted", f"{progress.outcomes.get('wanted', 0):,}, {len(progress.under_way):,} under way")
    for outcome, count in progress.outcomes.items():
        if outcome not in ("stored", "wanted"):
            table.add_row(outcome, f"{count:,}", style="red" if outcome in _REFUSED else "")
    waits = sorted((until, origin, why) for origin, (until, why) in progress.waiting.items())
    for until, origin, why in waits[:_SHOWN]:
        told = f"until {_clock(until)}" + (f": {why}" if why else "")
        words = (Text(printable(each), no_wrap=True, overflow="ellipsis") for each in (origin, told))
        table.add_row(*words, style="dim")
    if len(waits) > _SHOWN:
        table.add_row("", f"{len(waits) - _SHOWN:,} more wait", style="dim")
    if progress.stopping:
        told = f"stopping, when the {len(progress.under_way):,} under way are done; Ctrl-C: at once"
    else:
        told = "Ctrl-C stops when what is under way is done, a second one at once"
    table.add_row("", told, style="dim")
    return table


def status_of(job: "Job", progress: "Progress") -> int:
    """Give the exit status: 3 for what could not be had, 1 for a start that may not be, 130 if stopped."""
    if progress.stopped:
        return 130
    starts = {result.outcome for _, _, start, _, result in job.results() if start}
    missing = starts.intersection(("no-page", "failed", "too-large"))
    if missing or progress.left or progress.outcomes.get("failed", 0):
        return 3
    return 1 if starts.intersection(_REFUSED) else 0


def show(job: "Job", progress: "Progress", folder: Path, *, shared: bool) -> None:
    """Print what came of a crawl, which others have a part in if it is `shared`."""
    outcomes = progress.outcomes
    stored = outcomes.get("stored", 0)
    told = f"{stored:,} {'page' if stored == 1 else 'pages'} stored, {_size(progress.octets)}"
    click.echo(f"{printable(str(folder))}: {told}{' (stopped)' if progress.stopped else ''}")
    for outcome, (one, more) in _OUTCOMES.items():
        if outcomes.get(outcome):
            click.echo(f"  {outcomes[outcome]:,} {one if outcomes[outcome] == 1 else more}")
    for reason, count in job.omitted().items():
        click.echo(f"  {count:,} {'link' if count == 1 else 'links'} not followed: {reason}")
    refusals = _refusals(job)
    for (source, why), (count, url) in refusals[:_SHOWN]:
        click.secho(f"{printable(source)}: {printable(why)}", fg="red")
        click.echo(f"  {printable(url)}" + (f" and {count - 1:,} more" if count > 1 else ""))
    if len(refusals) > _SHOWN:
        click.echo(f"{len(refusals) - _SHOWN:,} more reasons of the kind")
    failures = [(url, result.why) for url, _, _, _, result in job.results() if result.outcome == "failed"]
    for url, why_failed in failures[:_SHOWN]:
        click.echo(f"failed: {printable(url)}: {printable(why_failed or '')}")
    if len(failures) > _SHOWN:
        click.echo(f"{len(failures) - _SHOWN:,} more failed")
    for origin, (until, why) in progress.left.items():
        click.echo(f"left: {printable(origin)} until {_clock(until)}: {printable(why)}")
    if progress.stopped or progress.left:
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


def record(job: "Job", progress: "Progress", folder: Path) -> dict[str, Any]:
    """Give what came of a crawl as JSON has it."""
    return {
        "job": printable(str(folder)),
        "finished": not progress.stopped and not progress.outcomes.get("wanted", 0),
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
        "left": {
            printable(origin): {"until": _moment(until), "why": printable(why)}
            for origin, (until, why) in progress.left.items()
        },
    }


def _size(octets: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if octets >= unit:
            return f"{octets / unit:.1f} {name}"
    return f"{octets:,} octets"


def _clock(until: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(until))


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
