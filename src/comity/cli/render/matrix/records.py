"""A `Matrix` as CSV: a line for each robot and column."""

from collections.abc import Iterator

from ....site.access_matrix.values import Matrix

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
