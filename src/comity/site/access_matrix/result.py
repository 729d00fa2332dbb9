"""The result of `comity.matrix`, and its texts."""

from ...protocol import Value, counted, printable
from .matrix_page import matrix_fragment
from .matrix_table import plain_table
from .values import MatrixColumn, MatrixRow, MatrixTotal, audience

#: Maximum number of columns, and of paths, in an explanation.
_COLUMNS, _PATHS = 20, 3


class Matrix(Value):
    r"""The answers of one robots.txt: robots against paths. Create it with `comity.matrix`.

    `columns` are the paths, and `rows` the robots, in sections by purpose. A robot with several purposes is
    in a row of each. `totals` has the counts of each section, and at last those of all robots.

    `dialect` is the name of the dialect, or `None` if each robot reads the file by its own. `judged` is the
    number of paths in all columns. `skipped` is the number of URLs that are not valid, or not of the site.
    `more_paths` is the number of paths whose columns were left out because there are too many, and
    `more_robots` that of robots. `doubt` says why there may be more columns; it is empty if the columns are
    complete. `note` explains why rules are missing, if the robots.txt could not be fetched.

    >>> import comity
    >>> print(comity.matrix("User-agent: GPTBot\nDisallow: /", agents=["Googlebot", "GPTBot"]).explain())
    1 robot for search: allowed /
    1 robot for training: disallowed /
    """

    dialect: str | None
    columns: tuple[MatrixColumn, ...]
    rows: tuple[MatrixRow, ...]
    totals: tuple[MatrixTotal, ...]
    judged: int
    skipped: int
    more_paths: int
    more_robots: int
    doubt: str
    note: str

    @property
    def complete(self) -> bool:
        """Whether no column and no robot was left out."""
        return not (self.doubt or self.more_paths or self.more_robots)

    def explain(self) -> str:
        """Return a line for each purpose: what its robots may fetch."""
        lines = [self.note, *map(self._sentence, self.totals[:-1]), self.doubt]
        if self.more_paths or self.more_robots:
            lines.append(
                f"left out: {counted(self.more_paths, 'path')} and {counted(self.more_robots, 'robot')}"
            )
        return "\n".join(printable(line) for line in lines if line)

    def _sentence(self, total: MatrixTotal) -> str:
        paths: dict[str, list[str]] = {}
        for column, count in zip(self.columns[:_COLUMNS], total.allowed, strict=False):
            answer = "disallowed" if not count else "allowed"
            some = f" to {count:,} of {total.robots:,}" if 0 < count < total.robots else ""
            paths.setdefault(f"{answer}{some}", []).append(column.path)
        parts = [
            f"{answer} {', '.join(some[:_PATHS])}{f' and {len(some) - _PATHS} more' if some[_PATHS:] else ''}"
            for answer, some in paths.items()
        ]
        return f"{audience(total.purpose, total.robots)}: {'; '.join(parts)}"

    def __str__(self) -> str:
        """Return the table that `comity matrix` prints, 120 characters wide."""
        return plain_table(self)

    def _repr_html_(self) -> str:
        """Return the table of `comity matrix --html` for a notebook, escaped."""
        return matrix_fragment(self)
