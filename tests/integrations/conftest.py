"""Loopback servers for the tests of integrations with HTTP clients."""

import pytest
from http_server import Server, answer
from polite_sites import polite_sites

RULES = answer(body=b"User-agent: *\nDisallow: /cart\n")


@pytest.fixture
def site():
    """Yield a server that closes `/cart`."""
    with Server({"/robots.txt": RULES, "/tea": answer(body=b"tea"), "/cart": answer(body=b"cart")}) as server:
        yield server


@pytest.fixture
def sites():
    """Yield two servers with many pages, and with redirects to paths that are closed."""
    with polite_sites() as both:
        yield both


@pytest.fixture(scope="session", autouse=True)
def authorities(shared_authorities):
    """Use one set of certificate authorities for all clients."""
