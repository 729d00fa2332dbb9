"""User names and passwords for the sites that a program requests: of URLs, of a user, or of a netrc file."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from shlex import quote

from ..errors import InvalidURL, UnusableInput
from ..protocol import Origin, printable
from .url_lists import ListedUrl

#: Sent as user and password to a host.
_Pair = tuple[str, str]


class SiteCredentials:
    """The Authorization field for each origin that the user named, and for no other one.

    So a redirect, a link or another scheme never gets a password. A user and password in a URL come first,
    then `login`, a user and password for the origins of all `urls`, then those of `hosts`, by host, such as
    `netrc_logins` returns. With `more`, `noticed` will add other URLs.

    >>> credentials = SiteCredentials(["https://bot:secret@example.com/"])
    >>> credentials.authorization("https://example.com/tea")
    'Basic Ym90OnNlY3JldA=='
    >>> credentials.authorization("http://example.com/tea") is None
    True
    """

    def __init__(
        self,
        urls: Iterable[str] = (),
        *,
        login: _Pair | None = None,
        hosts: Mapping[str, _Pair] | None = None,
        more: bool = False,
    ) -> None:
        """Collect the credentials for URLs."""
        self._login = login
        self._hosts = hosts or {}
        #: Authorization field per origin
        self.fields: dict[str, str] = {}
        self.add(urls)
        #: whether a request may have credentials, so that its answer is not for everybody
        self.are_needed: bool = bool(self.fields) or (more and bool(self._hosts))

    def add(self, urls: Iterable[str]) -> None:
        """Collect the credentials for URLs that the user named."""
        for url in urls:
            self._add(url, self._login)

    def noticed(self, inputs: Iterable[ListedUrl]) -> Iterator[ListedUrl]:
        """Yield the URLs of a list. They get only their own credentials and those of `hosts`."""
        for each in inputs:
            if self._hosts or "@" in each.url:
                self._add(each.url, None)
            yield each

    def authorization(self, url: str) -> str | None:
        """Return the Authorization field of a request for a URL, or None."""
        return self.fields.get(_origin(url) or "")

    def _add(self, url: str, login: _Pair | None) -> None:
        origin = _origin(url)
        if origin is None or origin in self.fields:
            return
        pair = _userinfo(url) or login or self._hosts.get(Origin.of(origin).host.strip("[]"))
        if pair is not None:
            self.fields[origin] = _basic(*pair)


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


def netrc_logins() -> dict[str, _Pair]:
    """Return the users and passwords of the file that the variable NETRC names, by default ~/.netrc.

    Its entry `default` is left out, because it would send a password to every site. An empty NETRC means no
    file. Raises `UnusableInput` for a file with an error, or that other users can read.

    >>> import os
    >>> os.environ["NETRC"] = ""
    >>> netrc_logins()
    {}
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
                why = f"other users can read it; run: chmod 600 {quote(named) if named else shown}"
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
