"""Tables: fitted to a terminal, or in plain columns elsewhere."""

import sys
from collections.abc import Iterable, Sequence

from ..terminal import echo, echo_rendered, is_terminal, shown


def show_table(titles: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Print a table of (text, style) cells."""
    from rich.cells import cell_len

    safe = [[(shown(text), style) for text, style in row] for row in rows]
    if is_terminal(sys.stdout):
        _show_fitted(titles, safe)
        return
    texts = [titles, *([text for text, _ in row] for row in safe)]
    widths = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        echo("  ".join(cells).rstrip())


def _show_fitted(titles: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(text, style=style, overflow="fold") for text, style in row))
    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(table)
    echo_rendered(capture.get().removesuffix("\n"))
