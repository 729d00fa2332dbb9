"""The HTTP client of a command, with the cache that commands share, and its notices printed."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from ..errors import InvalidArgument
from . import options
from .terminal import echo

if TYPE_CHECKING:
    from ..desk.site_client import SiteClient
    from ..politeness.identity import Identity
    from ..politeness.stores._sync.sqlite import SQLiteStore
    from ..protocol.robotstxt.engine.dialect import Dialect
    from .credentials import Credentials


def open_client(
    identity: "Identity",
    policy: str,
    credentials: "Credentials",
    dialect: "str | Dialect | None" = None,
    *,
    acap: bool = False,
    public_only: bool = False,
    cached: bool,
) -> "SiteClient":
    """Return the client; nothing is sent yet.

    With `cached`, the cache is shared with other commands: a file in the user's cache directory, or the file
    that the variable COMITY_STORE names. It is not used for sites that need credentials. Raises
    `click.UsageError` if it cannot name a file, and for a proxy if hosts must be public.
    """
    from ..desk.site_client import SiteClient  # loads the HTTP client

    try:
        return SiteClient(
            identity,
            policy=policy,
            dialect=dialect,
            acap=acap,
            public_only=public_only,
            authorization=credentials.authorization,
            store=_shared_store() if cached and not credentials.are_needed else None,
            notice=lambda level, sentence: echo(f"{level}: {sentence}", err=True),
        )
    except InvalidArgument as error:
        if error.name != "public_only":
            raise
        raise click.UsageError(f"--public-only: {error}") from None


def _shared_store() -> "SQLiteStore":
    from ..stores import SQLiteStore

    try:
        return SQLiteStore(os.environ.get("COMITY_STORE") or None)
    except InvalidArgument as error:
        raise click.UsageError(f"COMITY_STORE: {error}") from None


class Web:
    """Creates the HTTP client when it is first needed, because loading it takes time."""

    def __init__(
        self,
        stack: ExitStack,
        urls: Sequence[str],
        policy: str,
        sender: options.Sender,
        login: options.LoginOptions,
    ) -> None:
        """Prepare the client, which `stack` closes. `urls` are those that may get credentials."""
        self._stack = stack
        self._urls = urls
        self._policy = policy
        self._sender = sender
        self._login = login
        self._client: SiteClient | None = None

    def client(self, *, downloads: bool = False) -> "SiteClient":
        """Return the client. Downloads of more than robots.txt need a contact."""
        if self._client is None or (downloads and not self._client.names_contact):
            from .contact import identity_of
            from .credentials import Credentials

            identity = identity_of(*self._sender, needs_contact=downloads)
            credentials = Credentials(self._login, self._urls)
            client = open_client(identity, self._policy, credentials, cached=False)
            self._client = self._stack.enter_context(client)
        return self._client

    def download(self, url: str) -> Iterator[bytes]:
        """Yield the body of a URL in parts."""
        return self.client(downloads=True).download(url)
