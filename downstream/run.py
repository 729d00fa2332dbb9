"""Run the tests of other projects with their own robots.txt parser, and with Comity in its place.

make downstream                        every suite whose tests are available
make downstream CHECKOUTS=FOLDER       also those that need a clone, which is FOLDER/NAME
python downstream/run.py courlan       only this suite
python downstream/run.py --write       also write docs/reference/compatibility.md

`suites.toml` lists the projects with pinned releases. Each has its own virtual environment, and its tests
come from its source distribution, or from a clone if the source distribution has none. CPython's tests come
from this Python, from those on the search path, and from `--python`. If none of them has the newer parser,
they come from a clone, FOLDER/cpython, whose `urllib` runs in the newest of these Pythons.

Only the process of the tests uses Comity's classes: the plugin `plugin/substitution.py` replaces the parser
there. The library itself never does so. A difference in a test that `differences.toml` does not list is a
failure, and so is a listed test without a difference. The exit status is 0 without a failure, and else 1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import page
from comparison import compare, problems
from environment import (
    ROOT,
    MissingTests,
    edition,
    interpreter,
    interpreters,
    release_of_clone,
    test_folder,
    version,
)
from suites import Suite, load_differences, load_suites

#: Limit in seconds for the tests of a suite.
_TIMEOUT = 1800

#: The options of pytest. Those of the project may need plugins that have nothing to do with robots.txt.
_OPTIONS = ("-q", "-p", "substitution", "-p", "no:cacheprovider", "-o", "addopts=", "--tb=short")


def main() -> int:
    """Run the suites, print the table, and write the page if requested."""
    arguments = _arguments()
    suites = [suite for suite in load_suites() if not arguments.suites or suite.folder in arguments.suites]
    found: dict[str, set[str]] = {}
    rows, failures = [], []
    for suite in suites:
        for python in _pythons(suite, arguments.python):
            try:
                row, differing = _run(suite, python, arguments.checkouts)
            except MissingTests as error:
                print(error, file=sys.stderr)
                continue
            rows.append(row)
            found.setdefault(suite.name, set()).update(differing)
            failures += _unusable(row)
    differences = load_differences()
    for name, tests in found.items():
        failures += problems(name, tests, differences)
    print(page.table(rows), end="")
    print("".join(f"{failure}\n" for failure in failures), end="", file=sys.stderr)
    if arguments.write:
        page.write(_merged(rows), differences)
    return bool(failures)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the tests of other projects with Comity's classes.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="a suite; the default is all of them")
    parser.add_argument("--checkouts", type=Path, metavar="FOLDER", help="a folder with clones of projects")
    parser.add_argument("--python", action="append", default=[], help="another Python, for CPython's tests")
    parser.add_argument("--write", action="store_true", help="write docs/reference/compatibility.md")
    arguments = parser.parse_args()
    names = {suite.folder for suite in load_suites()}
    if unknown := set(arguments.suites) - names:
        parser.error(f"unknown suite {min(unknown)}: expected one of {', '.join(sorted(names))}")
    return arguments


def _pythons(suite: Suite, extra: list[str]) -> list[str]:
    """Return the Pythons that run a suite. The newest one runs the tests of a clone of CPython."""
    if suite.package:
        return [sys.executable]
    found = list(interpreters(extra))
    own = [python for python in found if edition(version(python)) == suite.edition]
    if not own and suite.repository:
        return [max(found, key=lambda python: tuple(map(int, version(python).rstrip("+").split("."))))]
    return own


def _run(suite: Suite, python: str, checkouts: Path | None) -> tuple[page.Row, tuple[str, ...]]:
    """Run a suite twice. Return its row and the tests that differ."""
    folder = test_folder(suite, python, checkouts)
    binary = interpreter(suite, python)
    if suite.package or suite.edition == edition(version(python)):
        release = suite.release or version(python)
    else:
        release = release_of_clone(suite, checkouts)
    comity = _results(suite, binary, folder, suite.replace)
    original = _results(suite, binary, folder, ())["results"] if suite.installable else None
    expected = dict.fromkeys(comity["results"], "passed") if original is None else original
    compared = compare(expected, comity["results"])
    row = page.Row(
        suite=suite.name,
        release=release,
        tests=_origin(suite, folder),
        python=".".join(version(python).split(".")[:2]),
        unchanged=compared.unchanged if suite.installable else None,
        comity=compared.comity,
        calls=comity["calls"],
        differences=len(compared.differences),
    )
    return row, compared.differences


def _origin(suite: Suite, folder: Path) -> str:
    if not suite.package:
        return "a clone" if (folder / "lib").is_dir() else "that Python"
    return "a clone" if suite.repository else "source distribution"


def _results(suite: Suite, python: Path, folder: Path, replace: tuple[str, ...]) -> dict[str, Any]:
    """Run the tests of a suite in its folder. Return the report of the plugin."""
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report.json"
        # A clone of CPython comes with its own `urllib`, which is found before that of the Python.
        path = (folder / "lib", ROOT / "downstream" / "plugin", ROOT / "src")
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "COMITY_REPLACE": ",".join(replace),
            "COMITY_REPORT": str(report),
        }
        select = ["-k", suite.select] if suite.select else []
        command = [str(python), "-m", "pytest", *_OPTIONS, *select, *suite.tests]
        print(f"{suite.name}: {'with Comity' if replace else 'unchanged'}", file=sys.stderr)
        log = folder / f"{'comity' if replace else 'unchanged'}.log"
        with log.open("w", encoding="utf-8") as output:
            subprocess.run(command, cwd=folder, env=variables, stdout=output, stderr=output, timeout=_TIMEOUT)
        if not report.is_file():
            sys.exit(f"{suite.name}: pytest did not run; see {log}")
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found


def _unusable(row: page.Row) -> list[str]:
    """Return the reasons why a run proves nothing."""
    reasons = []
    if row.unchanged == 0:
        reasons.append(f"{row.suite}: no test passes unchanged; see its log below .downstream/")
    if not row.calls:
        reasons.append(f"{row.suite}: the tests never called Comity")
    return reasons


def _merged(rows: list[page.Row]) -> list[page.Row]:
    """Return the new rows, and the stored ones of runs that were not repeated, in the order of the suites."""
    by_run = {(row.suite, row.python): row for row in (*page.stored_rows(), *rows)}
    order = [suite.name for suite in load_suites()]
    kept = (row for row in by_run.values() if row.suite in order)
    return sorted(kept, key=lambda row: (order.index(row.suite), row.python))


if __name__ == "__main__":
    sys.exit(main())
