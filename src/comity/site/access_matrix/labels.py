"""The texts that a table and a page of a `Matrix` have in common."""

from typing import Protocol

from ...protocol.text import counted, printable, shortened
from .values import (
    ANY_OTHER,
    UNKNOWN,
    MatrixCell,
    MatrixColumn,
    MatrixRobot,
    MatrixRow,
    MatrixTotal,
)

#: Maximum number of robots in the label of a row: those that the file names, and others.
NAMED, OTHERS = 12, 4

#: Maximum number of lines in a cell.
_LINES = 2

#: Maximum number of characters of the name of a robot.
_NAME = 40


class Answers(Protocol):
    """The fields of a `Matrix` that its texts have."""

    @property
    def columns(self) -> tuple[MatrixColumn, ...]: ...  # noqa: D102

    @property
    def rows(self) -> tuple[MatrixRow, ...]: ...  # noqa: D102

    @property
    def totals(self) -> tuple[MatrixTotal, ...]: ...  # noqa: D102

    @property
    def judged(self) -> int: ...  # noqa: D102

    @property
    def skipped(self) -> int: ...  # noqa: D102

    @property
    def more_paths(self) -> int: ...  # noqa: D102

    @property
    def more_robots(self) -> int: ...  # noqa: D102

    @property
    def doubt(self) -> str: ...  # noqa: D102

    @property
    def note(self) -> str: ...  # noqa: D102


def purpose_label(total: MatrixTotal) -> str:
    """Return the title of a section.

    >>> purpose_label(MatrixTotal("search", 2, 0, 0, (2,)))
    'search, 2 robots'
    """
    if total.purpose == ANY_OTHER:
        return "any other robot"
    name = {UNKNOWN: "unknown purpose", "all": "all"}.get(total.purpose, total.purpose)
    return f"{name}, {counted(total.robots, 'robot')}"


def robot_label(robot: MatrixRobot) -> str:
    """Return the name of a robot, with the line that names it."""
    name = shortened(printable(robot.agent), _NAME)
    if robot.agent == "*":
        return "* (any robot that the file does not name)"
    if robot.line is None:
        return name
    return f"{name} (line {robot.line})" if robot.named else f"{name} (as {robot.group}, line {robot.line})"


def row_labels(row: MatrixRow) -> list[str]:
    """Return the names of the robots of a row, and how many are left out."""
    own = [robot for robot in row.robots if robot.line is not None]
    others = [robot for robot in row.robots if robot.line is None]
    names = [robot_label(robot) for robot in (*own[:NAMED], *others[:OTHERS])]
    more = len(row.robots) - len(names)
    return [*names, f"{more:,} more"] if more else names


def line_texts(cell: MatrixCell) -> list[str]:
    """Return the first lines that decide for a cell, and a mark if there are more."""
    lines = [str(line) for line in dict.fromkeys(cell.lines) if line is not None]
    return [*lines[:_LINES], *(["…"] if len(lines) > _LINES else [])]


def column_paths(matrix: Answers) -> list[str]:
    """Return the path of each column, without the origin if all URLs have the same one."""
    paths = [column.path for column in matrix.columns]
    origins = {"/".join(path.split("/", 3)[:3]) if "://" in path else "" for path in paths}
    origin = origins.pop() if len(origins) == 1 else ""
    return [path.removeprefix(origin) or "/" for path in paths]


def column_details(column: MatrixColumn, most: int) -> str:
    """Return the rules or the other paths of a column, and how many are left out."""
    if column.rules:
        texts = [f"line {rule.line} `{shortened(printable(rule.pattern), 60)}`" for rule in column.rules]
        count = column.count - (column.path == "/")
    else:
        texts = [shortened(printable(path), 100) for path in column.examples[1:]]
        count = column.count - 1
    more = count - min(len(texts), most)
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")


def notes(matrix: Answers) -> list[str]:
    """Return sentences about robots and paths that were left out, and about doubts."""
    found = []
    if matrix.more_paths:
        paths = counted(matrix.more_paths, "path is", "paths are")
        found.append(f"{paths} in no column, because there are too many kinds of answers")
    if matrix.more_robots:
        robots = counted(matrix.more_robots, "robot is", "robots are")
        found.append(f"{robots} left out, because the file has too many")
    if matrix.skipped:
        urls = counted(matrix.skipped, "URL is", "URLs are")
        found.append(f"{urls} left out: not valid, or not of this site")
    return [*found, matrix.doubt] if matrix.doubt else found
