"""The identity that commands send: the User-Agent header, and the contact in the user's configuration."""

import errno
import json
import os
import stat
import sys
import tomllib
from functools import partial
from pathlib import Path
from tempfile import mkstemp

import click

from .._version import product
from ..errors import InvalidArgument
from ..files import create_private_folder, when_unused
from ..politeness import Identity, names_of_robot
from ..protocol import printable
from .terminal import echo

#: Maximum size of the file in bytes.
_MAX_BYTES = 1 << 16


def identity_of(user_agent: str, contact: str | None, *, needs_contact: bool) -> Identity:
    """Return the identity of a command that fetches, and store a contact that is given.

    A command that fetches only robots.txt needs no contact, because a person starts each request. Without
    `needs_contact`, the stored one is not sent. Raises `click.UsageError`.
    """
    path = printable(str(default_path()))
    header = user_agent.strip() or product()
    try:
        address = load() if contact is None and needs_contact else contact
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {_reason(error)}") from None
    if address is None and needs_contact:
        raise click.UsageError(
            f"no contact; name one once, such as --contact bot@example.com; it is stored in {path}"
        )
    try:
        if address is None:
            return Identity(header, names_of_robot(header), "", None)
        identity = Identity.of(header, address)
    except InvalidArgument as error:
        source = path if contact is None else "--contact"
        prefix = "--user-agent" if error.name == "user_agent" else source
        raise click.UsageError(printable(str(error.under(prefix)))) from None
    if contact is not None:
        _store_if_new(contact.strip(), path)
    return identity


def _store_if_new(contact: str, path: str) -> None:
    """Store a contact, and report if it replaces another one or cannot be stored."""
    try:
        before = load()
        if before != contact:
            store(contact)
            if before is not None:
                echo(f"Note: {path} had the contact {before}; it is replaced", err=True)
    except (OSError, ValueError) as error:
        echo(f"Note: the contact is not stored: {path}: {_reason(error)}", err=True)


def _reason(error: Exception) -> str:
    return printable(getattr(error, "strerror", None) or str(error))


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
    """Store a contact for later commands; raises `OSError`."""
    path = default_path()
    create_private_folder(path.parent)
    # A JSON string is a TOML string.
    text = f"# The contact that Comity's commands send to sites.\ncontact = {json.dumps(contact)}\n"
    descriptor, part = mkstemp(dir=path.parent, suffix=".part")  # only its owner can read it
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    when_unused(partial(os.replace, part, path))
