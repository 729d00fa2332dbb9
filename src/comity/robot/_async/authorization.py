"""The credentials of a request: read from a client, and sent with the robots.txt of the same origin too."""

from contextlib import suppress

import httpx2

from ...protocol.dot_segments import with_slashes
from ...protocol.userinfo import without_password
from ..request_target import with_decimal_address


def parsed(url: httpx2.URL | str) -> httpx2.URL:
    """Parse a URL, with its backslashes as slashes, and any spelling of an IPv4 address.

    Raises `httpx2.InvalidURL`, with a message that quotes no password.
    """
    if isinstance(url, str) and "\\" in url:
        url = with_slashes(url)
    try:
        return httpx2.URL(url)
    except httpx2.InvalidURL:
        known = None if isinstance(url, httpx2.URL) else with_decimal_address(url)
        if known is not None:
            with suppress(httpx2.InvalidURL):
                return httpx2.URL(known)
        if "@" not in str(url):
            raise
    raise httpx2.InvalidURL(f"{without_password(url)[:200]!r} is not valid; write / as %2F in a password")


def bare(url: httpx2.URL) -> httpx2.URL:
    """Return a URL without user name and password, which loggers and messages would show."""
    return url.copy_with(userinfo=b"") if url.userinfo else url


def reusable(authorization: str | None) -> str | None:
    """Return the value of an Authorization field, or None if it holds for one request only (RFC 7616)."""
    if authorization is None or authorization.lower().startswith("digest "):
        return None
    return authorization


async def authorization_of(client: httpx2.AsyncClient, url: httpx2.URL) -> str | None:
    """Return the Authorization field that a client sends at once with a request for a URL, or None.

    As in httpx2, the client's own `auth` takes precedence over a user name in the URL.
    """
    auth = client.auth
    if auth is None and not url.userinfo:
        return reusable(client.headers.get("authorization"))
    request = httpx2.Request("GET", url, headers=client.headers)
    flow = (auth or httpx2.BasicAuth(url.username, url.password)).async_auth_flow(request)
    try:
        first = await anext(flow)
    finally:
        await flow.aclose()
    if first.url != request.url:  # such as a request for a token
        return None
    return reusable(first.headers.get("authorization"))
