"""Real files, where there are some: `COMITY_CORPUS` names a folder of them."""

import os
from pathlib import Path

import pytest

import comity

FOLDER = os.environ.get("COMITY_CORPUS")
FILES = sorted(Path(FOLDER).iterdir()) if FOLDER and Path(FOLDER).is_dir() else []

AGENTS = ("ExampleBot", "Googlebot", "bingbot", "MJ12bot", "*")
URLS = (
    "/",
    "/robots.txt",
    "/index.html",
    "https://example.com/search?q=a&sort=b",
    "/wp-admin/x.php",
    "/%7Ejoe/caf%C3%A9",
)


@pytest.mark.skipif(not FILES, reason="needs COMITY_CORPUS, a folder of robots.txt files")
@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_real_files(dialect):
    """Every file is parsed without loss, `allowed` and `check` agree, and diagnostics work."""
    for path in FILES:
        body = path.read_bytes()
        robots = comity.parse(body, dialect=dialect)
        lines = robots.lines
        assert b"".join(line.raw for line in lines) == body, path
        for agent in AGENTS:
            rules = robots.rules_for(agent)
            for url in URLS:
                verdict = rules.check(url)
                assert verdict.allowed is rules.allowed(url), (path, agent, url)
                assert verdict.explain().isprintable(), (path, agent, url)
                if verdict.line:
                    assert lines[verdict.line - 1].field == ("allow" if verdict.rule.allow else "disallow"), (
                        path
                    )
        for problem in robots.diagnostics:
            assert problem.end_column <= len(lines[problem.line - 1].text) + 1, (path, problem)
