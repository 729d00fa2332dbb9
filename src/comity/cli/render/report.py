"""What commands print for people: tables, notes about a file, and the count at the end."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from ...protocol.robotstxt.diagnostics import Diagnostic
from ...protocol.robotstxt.verdict import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Report", "show_diagnostics", "show_table", "waiting", "watched"]

#: A file of so many octets takes longer than a second.
_LARGE = 4_000_000

#: So many diagnostics are shown; the others are counted.
_SHOWN = 5


class Report:
    """Counts what a command found, and turns the count into its exit status."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.allowed = 0
        self.disallowed = 0
        self.unreachable = 0
        self.errors = 0

    @property
    def total(self) -> int:
        """How many answers there were."""
        return self.allowed + self.disallowed + self.errors

    def failed(self, message: str) -> None:
        """Tell of an input that could not be used; the others are still answered."""
        self.errors += 1
        click.echo(f"Error: {message}", err=True)

    def summary(self) -> str:
        """Say in a line what was found."""
        counts = ((self.allowed, "allowed"), (self.disallowed, "disallowed"), (self.errors, "not a URL"))
        return ", ".join(f"{count:,} {what}" for count, what in counts if count)

    @property
    def status(self) -> int:
        """The exit status: 2 for unusable input, 3 for an unreachable site, 1 for a disallowed answer."""
        return 2 if self.errors else 3 if self.unreachable else 1 if self.disallowed else 0


def watched(file: str) -> AbstractContextManager[BinaryIO]:
    """Open a file, or standard input, to be read through; with a progress bar if it is large.

    The bar is for a person, so it is shown only where standard error is a terminal and the answers
    go elsewhere.
    """
    seen = sys.stderr.isatty() and not sys.stdout.isatty()
    if file == "-" or not seen or os.path.getsize(file) < _LARGE:
        return cast("AbstractContextManager[BinaryIO]", click.open_file(file, "rb"))
    from rich.console import Console
    from rich.progress import open as open_with_progress

    return open_with_progress(
        file, "rb", description="checking", console=Console(stderr=True), transient=True
    )


def waiting(message: str) -> AbstractContextManager[object]:
    """Show on standard error that something takes its time, where that is a terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.markup import escape

    return Console(stderr=True).status(escape(printable(message)))


def show_diagnostics(name: str, diagnostics: Sequence[Diagnostic]) -> None:
    """Tell on standard error what of a robots.txt is ignored, repaired or odd."""
    told = [problem for problem in diagnostics if problem.severity != "information"]
    for problem in told[:_SHOWN]:
        where = f"{printable(name)}, line {problem.line}, column {problem.column}"
        click.echo(f"{where}: {problem.severity}: {problem.message}", err=True)
    if len(told) > _SHOWN:
        click.echo(f"{printable(name)}: {len(told) - _SHOWN:,} more of the kind", err=True)


def show_table(titles: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Print a table of (text, style) cells: fitted to the terminal, or in plain columns elsewhere."""
    from rich.cells import cell_len
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal:
        _show_fitted(console, titles, rows)
        return
    texts = [titles, *([text for text, _ in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())


def _show_fitted(
    console: "Console", titles: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]
) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(text, style=style, overflow="fold") for text, style in row))
    console.print(table)
