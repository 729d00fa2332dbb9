"""The HTTP client of a command that reads files or sites, created when it is first needed."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .. import options

if TYPE_CHECKING:
    from ..site_client import SiteClient


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
            from ..contact import identity_of
            from ..credentials import Credentials
            from ..site_client import SiteClient

            identity = identity_of(*self._sender, needs_contact=downloads)
            credentials = Credentials(self._login, self._urls)
            client = SiteClient(identity, self._policy, credentials, cached=False)
            self._client = self._stack.enter_context(client)
        return self._client

    def download(self, url: str) -> Iterator[bytes]:
        """Yield the body of a URL in parts."""
        return self.client(downloads=True).download(url)
