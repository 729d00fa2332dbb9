"""Marks of tests that need a kind of system, and what differs between systems."""

import os
import sys

import pytest

__all__ = ["BIN", "WINDOWS", "posix_only"]

WINDOWS = sys.platform == "win32"

#: Folder of the programs of a virtual environment.
BIN = "Scripts" if WINDOWS else "bin"


def posix_only(reason):
    """Return a mark that skips a test on Windows; the reason says what Windows lacks or does otherwise.

    The end of a test run lists all of these under one heading; see `conftest.py`.
    """
    return pytest.mark.skipif(os.name != "posix", reason=f"needs POSIX: {reason}")
