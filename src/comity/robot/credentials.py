"""The credentials of a request, with which the robots.txt and the other files of its origin are requested."""

import itertools
import os
from hashlib import blake2b
from typing import NamedTuple
from weakref import WeakKeyDictionary

import httpx2

from .extensions import AUTH

#: Authentication schemes whose Authorization field holds for one request or connection only.
_ONE_TIME = frozenset(
    ("digest", "dpop", "hoba", "mutual", "negotiate", "ntlm", "privatetoken", "scram-sha-1", "scram-sha-256")
)

#: Passwords are not kept for comparison, and keys of two processes differ.
_SECRET = os.urandom(16)

#: A number for each authentication that is in use.
_numbers: WeakKeyDictionary[httpx2.Auth, int] = WeakKeyDictionary()
_next_number = itertools.count(1).__next__


class Credentials(NamedTuple):
    """What authorizes the requests to one origin.

    `header` is the value of the Authorization field, or None if `auth` sets it. `key` is the same for the
    same credentials, and does not reveal them.
    """

    url: httpx2.URL
    header: str | None
    auth: httpx2.Auth | None
    key: str

    def are_for(self, url: httpx2.URL) -> bool:
        """Return whether a URL has the origin that gets the credentials."""
        return self.url.origin == url.origin


def reusable(authorization: str | None) -> str | None:
    """Return the value of an Authorization field, or None if it holds for one request only.

    Signatures have parameters, separated by commas (RFC 9110 11.4).

    >>> reusable("Basic Ym90OnNlY3JldA=="), reusable('Digest username="bot", response="1f"')
    ('Basic Ym90OnNlY3JldA==', None)
    """
    if authorization is None or "," in authorization or not authorization.isascii():
        return None
    return None if authorization.partition(" ")[0].lower() in _ONE_TIME else authorization


def credentials_by_header(url: httpx2.URL, authorization: str | None) -> Credentials | None:
    """Return the credentials of an Authorization field; None without one, or if it holds for one request."""
    header = reusable(authorization)
    return None if header is None else Credentials(url, header, None, _digest("header", header))


def credentials_by_auth(url: httpx2.URL, auth: httpx2.Auth) -> Credentials:
    """Return the credentials of an authentication, whose requests it authorizes one by one."""
    if isinstance(auth, httpx2.DigestAuth):  # often another object for each request
        key = _digest("digest", repr((auth._username, auth._password)))
    else:
        try:
            key = f"auth {_numbers.setdefault(auth, _next_number())}"
        except TypeError:  # its class has `__slots__` or `__eq__`
            key = f"auth {_next_number()}"
    return Credentials(url, None, auth, key)


def credentials_of(request: httpx2.Request) -> Credentials | None:
    """Return the credentials of a request, None if it has none that other requests may repeat."""
    found = credentials_by_header(request.url, request.headers.get("authorization"))
    if found is None and AUTH in request.extensions:
        auth, url = request.extensions[AUTH]
        if url.origin == request.url.origin:  # otherwise it is the target of a redirect
            return credentials_by_auth(request.url, auth)
    return found


def _digest(kind: str, text: str) -> str:
    return (
        f"{kind} {blake2b(text.encode('utf-8', 'surrogateescape'), key=_SECRET, digest_size=16).hexdigest()}"
    )
