"""The download of one RSL document, whose URL a stranger chose (RSL 1.0 4.3): bounded, and with TLS only."""

import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from ...errors import InvalidURL, NotPublic
from ...protocol.robotstxt.fields.license import license_fault
from ...protocol.text import printable
from ...protocol.usage.bounded_xml import LIMIT
from ...robot.public_network import check_literal
from ..exit_status import UnreachableSite
from ..redirect_chain import RedirectChain
from ..site_client import SiteClient

#: Timeout in seconds for a document, and maximum number of redirects.
_TIMEOUT, _REDIRECTS = 10.0, 5


class Unavailable(Exception):
    """A document that cannot be read; the message is the reason."""


def fetched(url: str, client: SiteClient, *, checks_literals: bool) -> bytes:
    """Return the body of a document; at most a little more than 1 MiB is read.

    The robots.txt of its host is obeyed. With `checks_literals`, hosts that are private IP addresses are
    refused here, because a proxy makes the connections. Raises `Unavailable`.
    """
    chain = RedirectChain(url, most=_REDIRECTS, schemes={"https"})
    try:
        if checks_literals:
            check_literal(urlsplit(url).hostname or "")
        with client.response(chain, timeout=_TIMEOUT) as response:
            final = chain.urls[-1]
            if final != url and (fault := license_fault(final)):
                raise Unavailable(f"it redirects to {printable(final[:200])}: {fault}")
            if response.status_code != 200:
                raise Unavailable(f"the server answered {response.status_code}")
            return _limited(response.iter_bytes())
    except UnreachableSite as error:
        raise Unavailable(printable(error.message.removeprefix(f"{url}: "))) from None
    except (InvalidURL, NotPublic) as error:
        raise Unavailable(printable(str(error))) from None


def _limited(parts: Iterable[bytes]) -> bytes:
    """Return a body. One that is too large is cut a little above the limit, so that it is refused."""
    end = time.monotonic() + _TIMEOUT
    body = bytearray()
    for part in parts:
        body += part
        if len(body) > LIMIT:
            return bytes(body[: LIMIT + 1])
        if time.monotonic() > end:
            raise Unavailable(f"it takes more than {_TIMEOUT:g} s")
    return bytes(body)
