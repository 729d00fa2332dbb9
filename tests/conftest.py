"""Settings of Hypothesis, and the fixture of a Redis server."""

import os

import pytest
from hypothesis import HealthCheck, settings
from store_backends import redis_server

collect_ignore = ["typing"]  # for mypy, which `make lint` runs over it

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """Run a Redis server for the tests, and yield its URL."""
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url
