"""A `Matrix` as a table that fits the terminal. Signs, words and lines say what colours say."""

import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from typing import NamedTuple

from ....protocol.text import counted, printable, shortened
from ....site.access_matrix.values import Matrix, MatrixCell, MatrixColumn, MatrixRow, MatrixTotal
from ...terminal import Styled, echo, shown
from .labels import column_details, column_paths, line_texts, notes, purpose_label, row_labels

#: Width of a table that is not for a terminal.
_WIDTH = 120

#: Maximum number of characters of a path, and of columns of the label of a row.
_PATH = 24
_LABEL = 46

#: Maximum number of rows, of blocks of columns one below the other, and of details of columns.
_ROWS = 200
_BLOCKS = 3
_DETAILS = 12

#: Maximum number of other paths in the details of a column, and of characters of its path.
_OTHERS = 4
_WHOLE = 200

#: The signs for allowed and disallowed, and those for streams that cannot have them.
_SIGNS = "\u2713", "\u2717"
_PLAIN = "+", "-"


class _Cell(NamedTuple):
    text: str
    colour: str | None = None
    bold: bool = False


class _Line(NamedTuple):
    """A line of the table: the lines of its label, and its cells."""

    label: list[str]
    cells: list[_Cell]
    bold: bool = False


def show_matrix(matrix: Matrix) -> None:
    """Print the table, as many blocks as are useful, and everything that is left out as a number."""
    signs = _signs()
    if matrix.note:
        echo(matrix.note)
        echo()
    width = max(get_terminal_size((_WIDTH, 24)).columns, 40)  # COLUMNS, the terminal, or 120
    label = max(min(_LABEL, width * 2 // 5), 12)
    headings = [
        _heading(path, column) for path, column in zip(column_paths(matrix), matrix.columns, strict=True)
    ]
    lines = list(_lines(matrix, label, signs))
    label = max((_cells(text) for line in lines for text in line.label), default=0) + 2
    widths = [
        max([_cells(heading), *(_cells(line.cells[at].text) for line in lines)])
        for at, heading in enumerate(headings)
    ]
    blocks = list(_blocks(widths, width - label))
    for number, block in enumerate(blocks[:_BLOCKS]):
        if number:
            echo()
        _show_block(headings, widths, lines[:_ROWS], block, label)
    echo()
    shown_columns = blocks[min(_BLOCKS, len(blocks)) - 1][-1] + 1 if blocks else 0
    _show_details(matrix, headings, shown_columns)
    for note in _left_out(matrix, shown_columns, len(lines)):
        echo(f"Note: {note}")
    echo(
        Styled(
            f"{signs[0]} may fetch it, {signs[1]} may not; the number is the line that decides. "
            "2/3: two of three robots may fetch it.",
            dim=True,
        )
    )


def _signs() -> tuple[str, str]:
    """Return the signs that standard output can have."""
    try:
        "".join(_SIGNS).encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN
    return _SIGNS


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _heading(path: str, column: MatrixColumn) -> str:
    path = shown(path)
    if len(path) > _PATH:
        path = f"{path[: _PATH // 2]}…{path[-_PATH // 2 + 1 :]}"
    return f"{path} +{column.count - 1:,}" if column.count > 1 else path


def _lines(matrix: Matrix, width: int, signs: tuple[str, str]) -> Iterator[_Line]:
    """Yield the lines of each section: its totals, then its rows; at last those of all robots."""
    for total in matrix.totals:
        rows = [row for row in matrix.rows if row.purpose == total.purpose]
        if total.purpose != "all" or len(matrix.totals) > 2:
            single = len(rows) == 1 and len(rows[0].robots) == 1
            yield _Line(
                _wrapped([purpose_label(total)], width, ""),
                [_Cell("") if single else _count(total, at) for at in range(len(matrix.columns))],
                bold=True,
            )
        for row in rows:
            yield _Line(_row_label(row, width), [_answer(cell, signs) for cell in row.cells])


def _count(total: MatrixTotal, at: int) -> _Cell:
    return _Cell(f"{total.allowed[at]:,}/{total.robots:,}", bold=True)


def _answer(cell: MatrixCell, signs: tuple[str, str]) -> _Cell:
    sign, colour = (signs[0], "green") if cell.allowed else (signs[1], "red")
    return _Cell(" ".join([sign, *line_texts(cell)]), colour)


def _row_label(row: MatrixRow, width: int) -> list[str]:
    names = row_labels(row)
    if not row.obeys:
        names[-1] += "; need not obey" if len(names) == 1 else "; they need not obey"
    return _wrapped(names, width, "  ")


def _wrapped(names: Sequence[str], width: int, indent: str) -> list[str]:
    """Return names with commas between them in lines of a width; a name that is too long is cut."""
    most = width - len(indent) - 2
    lines = [""]
    for number, name in enumerate(names):
        text = printable(name)
        text = text if _cells(text) <= most else f"{text[: most - 2]}…"
        text += "," if number < len(names) - 1 else ""
        if lines[-1] and _cells(f"{lines[-1]} {text}") > most:
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}".strip()
    return [f"{indent}{line}" for line in lines]


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side, at least one."""
    block: list[int] = []
    left = room
    for at, width in enumerate(widths):
        if block and left < width + 2:
            yield block
            block, left = [], room
        block.append(at)
        left -= width + 2
    if block:
        yield block


def _show_block(
    headings: Sequence[str], widths: Sequence[int], lines: Sequence[_Line], block: Sequence[int], label: int
) -> None:
    _echo_cells(" " * label, [_Cell(headings[at], bold=True) for at in block], [widths[at] for at in block])
    for line in lines:
        first, *rest = line.label
        cells = [line.cells[at] for at in block]
        _echo_cells(first + " " * (label - _cells(first)), cells, [widths[at] for at in block], line.bold)
        for text in rest:
            echo(text)


def _echo_cells(label: str, cells: Sequence[_Cell], widths: Sequence[int], bold: bool = False) -> None:
    parts: list[str | Styled] = [Styled(label, bold=True) if bold else label]
    last = max((at for at, cell in enumerate(cells) if cell.text), default=-1)
    for at, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if at > last:
            break
        parts.append(Styled(cell.text, cell.colour, bold=cell.bold))
        if at < last:
            parts.append(" " * (width - _cells(cell.text) + 2))
    if last < 0:
        parts = [Styled(label.rstrip(), bold=bold)]
    echo(*parts)


def _show_details(matrix: Matrix, headings: Sequence[str], most: int) -> None:
    """Print the other paths of the columns that have several, and the paths that were cut."""
    details = []
    for path, column, heading in zip(column_paths(matrix)[:most], matrix.columns, headings, strict=False):
        others = column_details(column, _OTHERS)
        is_whole = heading.startswith(shown(path))
        if column.count > 1 or not is_whole:
            whole = [] if is_whole else [shortened(shown(column.path), _WHOLE)]
            details.append(f"{heading}: {'; '.join([*whole, others] if others else whole)}")
    for text in details[:_DETAILS]:
        echo(text)
    if len(details) > _DETAILS:
        echo(f"and {counted(len(details) - _DETAILS, 'more column')} with several paths")
    if details:
        echo()


def _left_out(matrix: Matrix, columns: int, lines: int) -> Iterator[str]:
    elsewhere = "--html, --json and --csv have them"
    if columns < len(matrix.columns):
        more = matrix.columns[columns:]
        paths = sum(column.count for column in more)
        yield f"too wide: {counted(len(more), 'more column')} with {counted(paths, 'path')}; {elsewhere}"
    if lines > _ROWS:
        yield f"{counted(lines - _ROWS, 'more row is', 'more rows are')} left out; {elsewhere}"
    yield from notes(matrix)
