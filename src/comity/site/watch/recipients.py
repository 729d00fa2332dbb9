"""Recipients of reports: e-mail addresses, and a URL that gets POST requests with JSON.

A connection to a mail server is encrypted, unless the server is this machine.
"""

import hmac
import json
import re
import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from http.client import HTTPException, HTTPMessage
from ipaddress import ip_address
from typing import IO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..._version import product
from ...errors import InvalidArgument, InvalidURL
from ...protocol import Origin, counted, printable, without_password
from .delivery import DeliveryError
from .site_change import SiteChange

#: Timeout in seconds for each step of a connection.
_TIMEOUT = 30.0

#: Maximum number of changes in one message.
_MOST = 20

#: Maximum length of a subject in characters.
_SUBJECT = 150

_ADDRESS = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")


class MailServer(NamedTuple):
    """A mail server: its host and port, the user, and whether TLS begins with the connection.

    >>> MailServer.of("smtps://user@mail.example.com")
    MailServer(host='mail.example.com', port=465, user='user', tls=True)
    """

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
        `InvalidArgument`.
        """
        expected = "expected a URL such as smtps://user@mail.example.com:465"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise InvalidArgument(expected, name="smtp") from None
        if parts.password is not None:
            raise InvalidArgument("leave out the password of the URL", name="password")
        if not host or parts.scheme not in ("smtp", "smtps") or parts.path.strip("/") or parts.query:
            raise InvalidArgument(f"{printable(url)!r:.200}: {expected}", name="smtp")
        server = cls(host, 0, unquote(parts.username) if parts.username else None, parts.scheme == "smtps")
        usual = 465 if server.tls else 25 if server.is_local else 587
        return server._replace(port=port or usual)


class Mailbox:
    """Sends changes to e-mail addresses.

    >>> server = MailServer.of("smtp://localhost")
    >>> Mailbox(server, "watch@example.com", ["ops@example.com"], "versions").name
    'e-mail to ops@example.com'
    """

    most = _MOST

    def __init__(
        self,
        server: MailServer,
        sender: str,
        addresses: Sequence[str],
        store: str,
        *,
        password: str | None = None,
    ) -> None:
        """Send from and to addresses. `store` is the folder for `comity history`.

        Raises `InvalidArgument` for an invalid address, and for a user without a password.
        """
        for address in (sender, *addresses):
            if not _ADDRESS.fullmatch(address) or not address.isprintable():
                raise InvalidArgument(f"invalid e-mail address {printable(address)!r:.200}", name="addresses")
        if (server.user is None) is not (password is None):
            raise InvalidArgument("user and password belong together", name="password")
        self._password = password
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


#: Timeout in seconds for each step of a request.
_HOOK_TIMEOUT = 20.0

#: Maximum size of a request in bytes. In a larger one, the list of changes is left out.
_MAX_BYTES = 1 << 20


class Webhook:
    """Sends each change to a URL.

    >>> Webhook("https://hooks.example.com/a-long-path", secret=b"key").name
    'webhook at https://hooks.example.com'
    """

    most = 1

    def __init__(self, url: str, *, secret: bytes = b"") -> None:
        """Send changes to a URL, signed if there is a `secret`. Raises `InvalidArgument` for the URL."""
        try:
            origin = Origin.of(url)
        except InvalidURL:
            origin = None
        if origin is None or origin.scheme not in ("http", "https") or not url.isascii() or " " in url:
            raise InvalidArgument("expected a URL such as https://example.com/hook", name="webhook")
        if without_password(url) != url:
            raise InvalidArgument(
                "leave out the user and the password; a long path can stand for both", name="webhook"
            )
        self._url = url
        self._secret = secret
        self._post = build_opener(_NoRedirect).open
        self.name = f"webhook at {origin}"  # the path is often a secret
        self.key = f"webhook {url}"

    def send(self, changes: Sequence[tuple[int, SiteChange]]) -> None:
        """Send each change. Raises `DeliveryError` unless the answer is a success."""
        for number, change in changes:
            body = payload(number, change)
            headers = {"Content-Type": "application/json", "User-Agent": product()}
            if self._secret:
                digest = hmac.new(self._secret, body, "sha256").hexdigest()
                headers["Comity-Signature"] = f"sha256={digest}"
            request = Request(self._url, body, headers)  # noqa: S310  # its scheme is checked
            try:
                with self._post(request, timeout=_HOOK_TIMEOUT):
                    pass  # the body of the answer is not read
            except HTTPError as error:
                error.close()
                raise DeliveryError(f"the server answered {error.code}") from None
            except URLError as error:
                raise DeliveryError(printable(str(error.reason))[:300]) from None
            except (OSError, HTTPException, ValueError) as error:
                raise DeliveryError(printable(f"{type(error).__name__}: {error}")[:300]) from None


def payload(number: int, change: SiteChange) -> bytes:
    """Return the body of the request for a change; its `id` is the same in a repeated request."""
    record = change.record()
    fields = {"id": f"{record['origin']}#{number}", "text": change.explain(), **record}
    body = json.dumps(fields).encode("ascii")
    if len(body) > _MAX_BYTES:
        body = json.dumps({**fields, "diff": None}).encode("ascii")
    return body


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect: another server would get the report, and no POST."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        return None
