"""Marks of tests that need a kind of system, and what differs between systems."""

import os
import sys

import pytest

__all__ = [
    "BIN",
    "DIRECTORY_ERROR",
    "WINDOWS",
    "as_root",
    "linux_only",
    "not_root",
    "other_loopback",
    "posix_only",
    "user_folders",
]

WINDOWS = sys.platform == "win32"

#: Folder of the programs of a virtual environment.
BIN = "Scripts" if WINDOWS else "bin"

#: What the system says when a folder is opened as a file.
DIRECTORY_ERROR = "Permission denied" if WINDOWS else "Is a directory"

as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs POSIX: root, who can become another user"
)

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc with start times")

#: Root writes everywhere, and Windows has no read-only folders.
not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs POSIX: a user other than root"
)


def posix_only(reason):
    """Return a mark that skips a test on Windows; the reason says what Windows lacks or does otherwise.

    The end of a test run lists all of these under one heading; see `conftest.py`.
    """
    return pytest.mark.skipif(os.name != "posix", reason=f"needs POSIX: {reason}")


def user_folders(home):
    """Return the variables by which a process has its configuration and its cache below a folder."""
    names = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
    return dict.fromkeys(names, str(home))


def other_loopback():
    """Return a second loopback address; skip the test on macOS, which has only one."""
    if sys.platform == "darwin":
        pytest.skip("macOS has no address 127.0.0.2")
    return "127.0.0.2"
