"""A folder of its own for each test, and the command `comity crawl` in it."""

import json
import os

import forked_python
import pytest
from command_home import own_home


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return the folder, which is the working directory and has the cache."""
    own_home(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def crawl(tmp_path):
    """Return a function that runs the command; it returns the exit status and the report."""

    def run(*arguments, delay="0.05", **environment):
        words = [*arguments, "--delay", delay, "--contact", "bot@example.com", "--json"]
        done = forked_python.run(
            ["-m", "comity", "crawl", *words],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=100,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout) if done.stdout else {}

    return run


@pytest.fixture(scope="session", autouse=True)
def authorities(shared_authorities):
    """Use one set of certificate authorities for all robots."""
