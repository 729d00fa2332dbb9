"""The contact of the user's crawls, stored in the user's configuration."""

import errno
import json
import os
import stat
import sys
import tomllib
from functools import partial
from pathlib import Path
from tempfile import mkstemp

from ..politeness.private_files import create_private_folder, when_unused

#: Maximum size of the file in bytes.
_MAX_BYTES = 1 << 16


def default_path() -> Path:
    """Return the path of the file, below the configuration folder of the operating system.

    The folder is `$XDG_CONFIG_HOME` or `~/.config`, `~/Library/Application Support` on macOS, `%APPDATA%` on
    Windows.
    """
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA")
        folder = Path(roaming) if roaming else Path.home() / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
        if not folder.is_absolute():  # to be ignored, by the XDG specification
            folder = Path.home() / ".config"
    return folder / "comity" / "crawl.toml"


def load() -> str | None:
    """Return the stored contact, if any; raises `OSError` or `ValueError` for an invalid file."""
    path = default_path()
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe without a writer blocks for ever
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with path.open("rb") as file:
            settings = tomllib.loads(file.read(_MAX_BYTES).decode())
    except FileNotFoundError:
        return None
    except RecursionError:
        raise ValueError("its tables are nested too deeply") from None
    contact = settings.get("contact")
    if contact is not None and not isinstance(contact, str):
        raise ValueError("contact is not a string")
    return contact


def store(contact: str) -> None:
    """Store a contact for later crawls; raises `OSError`."""
    path = default_path()
    create_private_folder(path.parent)
    # A JSON string is a TOML string.
    text = f"# The contact that `comity crawl` sends as From.\ncontact = {json.dumps(contact)}\n"
    descriptor, part = mkstemp(dir=path.parent, suffix=".part")  # only its owner can read it
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    when_unused(partial(os.replace, part, path))
