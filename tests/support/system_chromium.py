"""The Chromium of the system, as tests start it."""

import shutil

import pytest

#: Without these the browser tries to reach its maker, and, as root, does not start.
_ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def chromium():
    """Return the path of the browser; skip the test if there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    return program


def launch_options():
    """Return the arguments of Playwright's `launch`."""
    return {"executable_path": chromium(), "args": _ARGUMENTS}
