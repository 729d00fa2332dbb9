"""The sync flavour of the robot is what the async one makes of it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_sync_flavour_is_up_to_date():
    run = subprocess.run(
        [sys.executable, "tools/unasync.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )

    assert run.returncode == 0, f"{run.stdout}{run.stderr}: run `make generate`"
