"""One set of certificate authorities for all robots of the tests."""

from functools import cache

import httpcore2
import pytest


@pytest.fixture(scope="session", autouse=True)
def shared_authorities():
    """Read the authorities of the system once: each client reads them, which takes most of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield
