"""What is generated is what its source makes of it: the sync flavour of the robot, stubs, tables, the API reference and the glossary."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "tool",
    [
        "unasync.py",
        "faces.py",
        "agents_table.py",
        "misnomers.py",
        "lint_rules.py",
        "api_reference.py",
        "glossary.py",
    ],
)
def test_it_is_up_to_date(tool):
    run = subprocess.run(
        [sys.executable, f"tools/{tool}", "--check"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )

    assert run.returncode == 0, f"{run.stdout}{run.stderr}: run `make generate`"
