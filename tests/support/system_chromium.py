"""The Chromium of the system, as tests start it with Playwright."""

import shutil
import subprocess
import sys
from functools import cache

import pytest

#: Without these the browser tries to reach its maker, and, as root, does not start.
_ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def chromium():
    """Return the path of the browser; skip the test if there is none, or if Playwright does not start."""
    require_playwright()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    return program


def require_playwright():
    """Skip the test if Playwright does not start: its Node.js may miss a library of the system."""
    if fault := _fault_of_playwright():
        pytest.skip(f"needs Playwright, which does not start: {fault}")


@cache
def _fault_of_playwright():
    done = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, encoding="utf-8"
    )
    return done.stderr.strip().rpartition("\n")[2] or "no reason" if done.returncode else ""


def launch_options():
    """Return the arguments of Playwright's `launch`."""
    return {"executable_path": chromium(), "args": _ARGUMENTS}
