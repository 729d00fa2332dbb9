"""Settings of Hypothesis, and the fixtures of a Redis server and of certificate authorities.

Hypothesis generates the same examples in every run. The option `--hypothesis-profile=random` draws others.
"""

import os
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

# Scripts for type checkers; tests/typing/test_user_scripts.py runs those of users.
collect_ignore_glob = ["typing/api.py", "typing/right/*", "typing/wrong/*"]

#: Fewer in the second run, over the reference engine; test_engines.py compares the engines in the first one.
_EXAMPLES = 40 if os.environ.get("COMITY_PURE") == "1" else 100

# No test sends the passwords of the person who runs it.
os.environ["NETRC"] = ""
for _name in ("COMITY_USER", "COMITY_PASSWORD", "COMITY_REDIS"):
    os.environ.pop(_name, None)

# Commands print for a person and not for the log of a job, wherever the tests run.
for _name in ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL"):
    os.environ.pop(_name, None)

# The width of tables is that without a terminal, also in a process of pytest-xdist.
os.environ.pop("COLUMNS", None)

settings.register_profile(
    "equal",
    derandomize=True,
    deadline=None,
    max_examples=_EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("random", deadline=None, max_examples=_EXAMPLES)
settings.load_profile("equal")


@pytest.fixture(scope="session", autouse=True)
def own_configuration(tmp_path_factory):
    """Keep the commands of tests away from the configuration of the person who runs them, and from its contact."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "APPDATA"):
            patch.setenv(name, str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """Run a Redis server for the tests, and yield its URL."""
    from store_backends import redis_server  # its imports are not needed by the tests of an engine

    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(scope="session")
def shared_authorities():
    """Read the authorities of the system once: each client reads them, which takes most of its time."""
    httpcore2 = pytest.importorskip("httpcore2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield
