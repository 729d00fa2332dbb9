"""Tables: fitted to a terminal, or in plain columns elsewhere."""

import sys
from collections.abc import Sequence

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


def _show_fitted(titles: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(highlight=False)
    texts = [titles, *([text for text, _ in row] for row in rows)]
    widths = _widths(list(zip(*texts, strict=True)), console.width - 2 * (len(titles) - 1))
    columns = (Column(title, width=width) for title, width in zip(titles, widths, strict=True))
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(text, style=style, overflow="fold") for text, style in row))
    with console.capture() as capture:
        console.print(table)
    echo_rendered(capture.get().removesuffix("\n"))


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the width of each column: at least its longest word, if there is room for those of all columns.

    >>> _widths([["AhrefsSiteAudit"], ["The Agent Times"]], 24), _widths([["a" * 50], ["one two"]], 20)
    ([15, 9], [17, 3])
    """
    from rich.cells import cell_len

    most = [max(map(cell_len, texts)) for texts in columns]
    widths = [
        min(max((cell_len(word) for text in texts for word in text.split()), default=0), room)
        for texts in columns
    ]
    while sum(widths) > max(room, len(widths)):
        widths[widths.index(max(widths))] -= 1
    while sum(widths) < room and (short := [at for at, width in enumerate(widths) if width < most[at]]):
        widths[min(short, key=lambda at: widths[at])] += 1
    return [max(width, 1) for width in widths]
