"""Tables: fitted to a terminal, or in plain columns elsewhere."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console


def show_table(titles: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Print a table of (text, style) cells."""
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
