"""Reports by e-mail. The connection is encrypted, unless the server is this machine."""

import os
import re
import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import click

from ...protocol import counted, printable
from ...site import SiteChange
from .delivery import DeliveryError

#: The variable with the password for the mail server.
PASSWORD = "COMITY_SMTP_PASSWORD"  # noqa: S105  # its name

#: Timeout in seconds for each step of a connection.
_TIMEOUT = 30.0

#: Maximum number of changes in one message.
_MOST = 20

#: Maximum length of a subject in characters.
_SUBJECT = 150

_ADDRESS = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")


class MailServer(NamedTuple):
    """A mail server: its host and port, the user, and whether TLS begins with the connection."""

    host: str
    port: int
    user: str | None
    tls: bool

    @property
    def is_local(self) -> bool:
        """Whether the server is this machine, so that nothing can be read on the way."""
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host == "localhost"

    @classmethod
    def of(cls, url: str) -> "MailServer":
        """Parse the URL of a server, such as smtps://user@mail.example.com.

        The scheme smtp uses STARTTLS, which only a server on this machine may lack. Raises
        `click.UsageError`.
        """
        expected = "expected a URL such as smtps://user@mail.example.com:465"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise click.UsageError(f"--smtp: {expected}") from None
        if parts.password is not None:
            raise click.UsageError(f"--smtp: leave out the password, and set {PASSWORD}")
        if not host or parts.scheme not in ("smtp", "smtps") or parts.path.strip("/") or parts.query:
            raise click.UsageError(f"--smtp {printable(url)!r:.200}: {expected}")
        server = cls(host, 0, unquote(parts.username) if parts.username else None, parts.scheme == "smtps")
        usual = 465 if server.tls else 25 if server.is_local else 587
        return server._replace(port=port or usual)


class Mailbox:
    """Sends changes to e-mail addresses."""

    most = _MOST

    def __init__(self, server: MailServer, sender: str, addresses: Sequence[str], store: str) -> None:
        """Send from and to addresses. `store` is the folder for `comity history`.

        Raises `click.UsageError` for an invalid address, and for a user without a password.
        """
        for address in (sender, *addresses):
            if not _ADDRESS.fullmatch(address) or not address.isprintable():
                raise click.UsageError(f"invalid e-mail address {printable(address)!r:.200}")
        self._password = os.environ.get(PASSWORD) or None
        if (server.user is None) is not (self._password is None):
            missing = PASSWORD if self._password is None else "the user in --smtp"
            raise click.UsageError(f"--smtp: user and password belong together; add {missing}")
        self._server = server
        self._sender = sender
        self._addresses = tuple(addresses)
        self._store = store
        self.name = f"e-mail to {', '.join(self._addresses)}"
        self.key = f"email {' '.join(sorted(self._addresses))}"

    def send(self, changes: Sequence[tuple[int, SiteChange]]) -> None:
        """Send one message about all changes. Raises `DeliveryError`."""
        message = self.message([change for _, change in changes])
        try:
            with self._connected() as connection:
                connection.send_message(message, self._sender, self._addresses)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise DeliveryError(
                f"{self._server.host}:{self._server.port}: {printable(str(error))[:300]}"
            ) from None

    def message(self, changes: Sequence[SiteChange]) -> EmailMessage:
        """Return the message about changes."""
        message = EmailMessage(policy=SMTP)
        subject = f"{changes[0].origin}: {changes[0].headline}"
        if len(changes) > 1:
            sites = len({change.origin for change in changes})
            subject = f"{len(changes)} changes of robots.txt on {counted(sites, 'site')}"
        message["Subject"] = printable(subject)[:_SUBJECT]
        message["From"] = self._sender
        message["To"] = ", ".join(self._addresses)
        message["Date"] = formatdate(changes[-1].time, usegmt=True)
        message["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answers from holidays
        origins = dict.fromkeys(change.origin for change in changes)
        more = [f"comity history {origin} --store {self._store}" for origin in origins]
        message.set_content("\n\n".join([*(change.explain() for change in changes), "\n".join(more)]) + "\n")
        return message

    def _connected(self) -> smtplib.SMTP:
        """Connect, encrypt the connection, and log in."""
        server = self._server
        context = ssl.create_default_context()
        if server.tls:
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=_TIMEOUT, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT)
        try:
            if not server.tls:
                connection.ehlo()
                if connection.has_extn("starttls") and not (server.is_local and server.user is None):
                    connection.starttls(context=context)
                elif not server.is_local:
                    raise DeliveryError(f"{server.host}: the server offers no STARTTLS; use smtps://")
            if server.user is not None and self._password is not None:
                connection.login(server.user, self._password)
        except BaseException:
            connection.close()
            raise
        return connection
