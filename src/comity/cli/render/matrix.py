"""A `Matrix` as a table in the width and the colours of the terminal, and as CSV."""

import sys
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Any

from ...site import Matrix
from ...site.access_matrix import PLAIN_SIGNS, SIGNS, WIDTH, table_lines
from ..terminal import Styled, echo

_STYLES: dict[str, dict[str, Any]] = {
    "": {},
    "yes": {"colour": "green"},
    "no": {"colour": "red"},
    "bold": {"bold": True},
    "dim": {"dim": True},
}


def show_matrix(matrix: Matrix) -> None:
    """Print the table."""
    width = max(get_terminal_size((WIDTH, 24)).columns, 40)  # COLUMNS, the terminal, or 120
    for line in table_lines(matrix, width, _signs()):
        echo(*(Styled(part.text, **_STYLES[part.style]) for part in line))


def _signs() -> tuple[str, str]:
    """Return the signs that standard output can have."""
    try:
        "".join(SIGNS).encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return PLAIN_SIGNS
    return SIGNS


#: The columns of CSV.
CSV_COLUMNS = (
    *("purpose", "agent", "agent_line", "group", "obeys", "path", "paths"),
    *("answer", "line", "rule"),
)


def csv_rows(matrix: Matrix) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each robot, in the order of the table."""
    for row in matrix.rows:
        for at, robot in enumerate(row.robots):
            for column, cell in zip(matrix.columns, row.cells, strict=True):
                rule = cell.rules[at]
                yield (
                    *(row.purpose, robot.agent, str(robot.line or ""), robot.group or "", robot.obeys),
                    *(column.path, str(column.count), "allowed" if cell.allowed else "disallowed"),
                    *(str(rule.line) if rule else "", str(rule or "")),
                )
