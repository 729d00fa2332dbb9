"""Whom sites may write to about the crawls of a user: given once, and kept in the user's configuration."""

import json
import os
import sys
import tomllib
from pathlib import Path
from tempfile import mkstemp

__all__ = ["default_path", "keep", "kept"]


def default_path() -> Path:
    """Give the file, where the system wants what a user has set.

    `$XDG_CONFIG_HOME` or `~/.config`, `~/Library/Application Support` on macOS, `%APPDATA%` on Windows.
    """
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA")
        folder = Path(roaming) if roaming else Path.home() / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
        if not folder.is_absolute():  # the XDG specification has such a value ignored
            folder = Path.home() / ".config"
    return folder / "comity" / "crawl.toml"


def kept() -> str | None:
    """Give the contact that is kept, if any; raises `OSError` or `ValueError` for a file that is none."""
    try:
        said = tomllib.loads(default_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    contact = said.get("contact")
    if contact is not None and not isinstance(contact, str):
        raise ValueError("its contact is no text")
    return contact


def keep(contact: str) -> None:
    """Keep a contact for the crawls to come; raises `OSError` where that cannot be."""
    path = default_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    # The strings of JSON are strings of TOML.
    text = f"# Whom sites may write to about `comity crawl`.\ncontact = {json.dumps(contact)}\n"
    descriptor, part = mkstemp(dir=path.parent, suffix=".part")  # of its own: others may keep one too
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)
