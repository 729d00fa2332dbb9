"""The tables of `docs/reference/compatibility.md`."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from environment import ROOT
from suites import Difference

PAGE = ROOT / "docs" / "reference" / "compatibility.md"

_RESULTS = Path(__file__).resolve().parent / "results.json"
_BEGIN, _END = "<!-- make downstream: begin -->\n", "<!-- make downstream: end -->\n"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run of a suite with both parsers.

    Attributes:
        suite: The name of the suite.
        release: The version of the project, or of Python for CPython.
        tests: Where the tests come from.
        python: The version of Python.
        unchanged: The number of tests that passed with the original parser. None if it cannot be installed.
        comity: The number of tests that passed with Comity.
        calls: The number of calls of Comity's class.
        differences: The number of tests with another result.
    """

    suite: str
    release: str
    tests: str
    python: str
    unchanged: int | None
    comity: int
    calls: int
    differences: int


def stored_rows() -> tuple[Row, ...]:
    """Read the rows of the last `--write`."""
    return tuple(Row(**row) for row in json.loads(_RESULTS.read_text(encoding="utf-8")))


def write(rows: Iterable[Row], differences: Iterable[Difference]) -> None:
    """Store the rows, and write the tables into the page."""
    rows = tuple(rows)
    _RESULTS.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), rows, differences), encoding="utf-8")


def with_tables(page: str, rows: Iterable[Row], differences: Iterable[Difference]) -> str:
    """Return the page with the tables between its two marks."""
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    return f"{before}{_BEGIN}\n{table(rows)}\n{_differences(differences)}\n{_END}{after}"


def table(rows: Iterable[Row]) -> str:
    """Return the table of results in Markdown."""
    head = ("project", "version", "tests from", "Python", "unchanged", "with Comity", "differences")
    return _table(head, map(_cells, rows))


def _cells(row: Row) -> tuple[str, ...]:
    counts = (row.unchanged, row.comity, row.differences)
    return (
        row.suite,
        row.release,
        row.tests,
        row.python,
        *("—" if count is None else f"{count:,}" for count in counts),
    )


def _differences(differences: Iterable[Difference]) -> str:
    rows = (
        (", ".join(each.suites), "<br>".join(map(_short, each.tests)), each.section, each.reason)
        for each in differences
    )
    return _table(("suite", "tests", "decided by", "reason"), rows)


def _short(test: str) -> str:
    """Return the identifier of a test for the table, without its file."""
    name = test.partition("::")[2] or test
    return f"`{name}`".replace("|", "\\|")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
