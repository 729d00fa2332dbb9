"""One set of certificate authorities for all robots of the tests."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def authorities(shared_authorities):
    """Use one set of certificate authorities for all robots."""
