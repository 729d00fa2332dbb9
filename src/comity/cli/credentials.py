"""User names and passwords for the sites that a command requests, from the environment, netrc or a prompt.

No option takes the password of a site, because every user of the machine can read a command line.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from ..desk.url_lists import ListedUrl
from ..errors import InvalidURL, UnusableInput
from ..protocol.origin import Origin
from ..protocol.text import printable
from .options import LoginOptions
from .terminal import is_terminal, shell_quoted

#: Sent as user and password to a host.
_Pair = tuple[str, str]


class _Login(NamedTuple):
    """The user and password that the user named, if any, and those of the netrc file, by host."""

    named: _Pair | None
    hosts: Mapping[str, _Pair]


class Credentials:
    """The Authorization field for each origin that the user named, and for no other one.

    So a redirect, a link or another scheme never gets a password.
    """

    def __init__(self, options: LoginOptions, urls: Iterable[str], *, more: bool = False) -> None:
        """Collect the credentials for URLs; with `more`, `noticed` will add other ones.

        Raises `click.UsageError` for an incomplete login, and `UnusableInput` for a netrc file with an error.
        """
        login = self._login = _login(options)
        #: Authorization field per origin
        self.fields: dict[str, str] = {}
        self.add(urls)
        #: whether a request may have credentials, so that its answer is not for everybody
        self.are_needed: bool = bool(self.fields) or (more and bool(login.hosts))

    def add(self, urls: Iterable[str]) -> None:
        """Collect the credentials for URLs that the user named."""
        for url in urls:
            self._add(url, self._login.named)

    def noticed(self, inputs: Iterable[ListedUrl]) -> Iterator[ListedUrl]:
        """Yield the URLs of a file. They get only their own credentials and those of netrc."""
        for each in inputs:
            if self._login.hosts or "@" in each.url:
                self._add(each.url, None)
            yield each

    def authorization(self, url: str) -> str | None:
        """Return the Authorization field of a request for a URL, or None."""
        return self.fields.get(_origin(url) or "")

    def _add(self, url: str, named: _Pair | None) -> None:
        origin = _origin(url)
        if origin is None or origin in self.fields:
            return
        pair = _userinfo(url) or named or self._login.hosts.get(Origin.of(origin).host.strip("[]"))
        if pair is not None:
            self.fields[origin] = _basic(*pair)


def _login(options: LoginOptions) -> _Login:
    """Read `--user`, `--ask-password`, COMITY_USER, COMITY_PASSWORD and the netrc file."""
    user, ask_password = options
    if user == "":
        raise click.UsageError("--user is empty; leave it out")
    user = user or os.environ.get("COMITY_USER") or None
    password = os.environ.get("COMITY_PASSWORD") or None
    hosts = _netrc()
    if user is None:
        if ask_password or password is not None:
            given = "--ask-password" if ask_password else "COMITY_PASSWORD"
            raise click.UsageError(f"{given} needs a user name; add --user or set COMITY_USER")
        return _Login(None, hosts)
    if ":" in user or not user.isprintable():
        raise click.UsageError(f"invalid --user {user!r:.200}: expected printable text without a colon")
    if ask_password:
        password = _prompted(user)
    if password is not None:
        return _Login((user, password), hosts)
    hosts = {host: pair for host, pair in hosts.items() if pair[0] == user}
    if not hosts:
        raise click.UsageError(
            f"no password for {user}; set COMITY_PASSWORD, or add --ask-password or a line to ~/.netrc"
        )
    return _Login(None, hosts)


def _basic(user: str, password: str) -> str:
    """Return the Authorization field of a user, in UTF-8 (RFC 7617 2.1)."""
    from base64 import b64encode

    return f"Basic {b64encode(f'{user}:{password}'.encode(errors='surrogateescape')).decode()}"


def _origin(url: str) -> str | None:
    """Return the origin of an http or https URL, or None for any other text."""
    try:
        origin = Origin.of(url)
    except InvalidURL:
        return None
    return str(origin) if origin.scheme in ("http", "https") else None


def _userinfo(url: str) -> _Pair | None:
    """Return the user name and password in a URL, or None."""
    from urllib.parse import unquote

    authority = re.split("[/?#]", url.partition("://")[2], maxsplit=1)[0]
    user, _, password = authority.rpartition("@")[0].partition(":")
    return (unquote(user), unquote(password)) if user or password else None


def _prompted(user: str) -> str:
    if not is_terminal(sys.stdin):
        raise click.UsageError("--ask-password needs a terminal; set COMITY_PASSWORD instead")
    password: str = click.prompt(f"Password for {printable(user)}", hide_input=True, err=True)
    return password


def _netrc() -> dict[str, _Pair]:
    """Return the users and passwords of the file that NETRC names, by default ~/.netrc.

    Its entry `default` is left out, because it would send a password to every site.
    """
    from netrc import NetrcParseError, netrc

    named = os.environ.get("NETRC")
    if named == "":
        return {}
    shown = printable(named or "~/.netrc")
    try:
        if named is None and not (Path.home() / ".netrc").exists():
            return {}
        found = netrc(named).hosts
    except NetrcParseError as error:
        if error.lineno is None:  # its owner or its mode
            why = "it belongs to another user; it should be yours, with mode 600"
            if "owner (" not in error.msg:
                why = f"other users can read it; run: chmod 600 {shell_quoted(named) if named else shown}"
            raise UnusableInput(f"{shown}: {printable(why)}; or set NETRC= to send no password") from None
        # The message quotes a word, which may be a part of a password.
        raise UnusableInput(
            f"{shown}: not a valid netrc file: an unexpected word in line {error.lineno} or at the end of "
            "the line before; a password with a space needs quotes"
        ) from None
    except UnicodeDecodeError:
        raise UnusableInput(f"{shown}: not a valid netrc file: it is not in UTF-8") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        reason = getattr(error, "strerror", None) or error
        raise UnusableInput(f"{shown}: cannot be read: {reason}") from None
    return {
        host.lower(): (login or "", password)
        for host, (login, _, password) in found.items()
        if host != "default" and password
    }
