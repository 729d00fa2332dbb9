"""What holds for all tests of watches: one set of certificate authorities."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def authorities(shared_authorities):
    """Use one set of certificate authorities for all clients."""
