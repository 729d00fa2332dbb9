"""Reports as POST requests with JSON."""

import hmac
import json
import os
from collections.abc import Sequence
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import click

from ..._version import product
from ...errors import InvalidURL
from ...protocol import Origin, printable, without_password
from ...site import SiteChange
from .delivery import DeliveryError

#: The variable with the secret that signs requests.
SECRET = "COMITY_WEBHOOK_SECRET"  # noqa: S105  # its name

#: Timeout in seconds for each step of a request.
_TIMEOUT = 20.0

#: Maximum size of a request in bytes. In a larger one, the list of changes is left out.
_MAX_BYTES = 1 << 20


class Webhook:
    """Sends each change to a URL."""

    most = 1

    def __init__(self, url: str) -> None:
        """Send changes to a URL. Raises `click.UsageError` if it is not http or https."""
        try:
            origin = Origin.of(url)
        except InvalidURL:
            origin = None
        if origin is None or origin.scheme not in ("http", "https") or not url.isascii() or " " in url:
            raise click.UsageError("--webhook: expected a URL such as https://example.com/hook")
        if without_password(url) != url:
            raise click.UsageError(
                "--webhook: leave out the user and the password; a long path can stand for both"
            )
        self._url = url
        self._secret = os.environ.get(SECRET, "").encode(errors="surrogateescape")
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
                with self._post(request, timeout=_TIMEOUT):
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
