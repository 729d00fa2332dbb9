"""What commands print for people: tables, progress, and the count at the end."""

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

import click

__all__ = ["Report", "show_table"]

#: Work of fewer steps is done before a progress bar could be read.
_LONG = 50_000

Item = TypeVar("Item")


class Report:
    """Counts what a command found, and turns the count into its exit status."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.allowed = 0
        self.disallowed = 0
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
        """The exit status: 2 for unusable input, 1 for a disallowed answer, else 0."""
        return 2 if self.errors else 1 if self.disallowed else 0


def progress(items: Sequence[Item], what: str) -> Iterable[Item]:
    """Give the items, with a progress bar if there are many and someone sees it."""
    if len(items) < _LONG or not sys.stderr.isatty() or sys.stdout.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, description=what, console=Console(stderr=True), transient=True)


def show_table(titles: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> None:
    """Print a table of (text, style) cells, fitted to the terminal, or unfolded into a file."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(text, style=style, overflow="fold") for text, style in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=1_000_000)
    with console.capture() as printed:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
