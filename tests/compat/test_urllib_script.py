"""The program on the page about urllib.robotparser: it runs before and after its two lines are changed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from http_server import Server, answer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/move-from-urllib-robotparser.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SCRIPT = next(text for language, text in BLOCKS if language == "python" and "import requests" in text)
CHANGES = next(text for language, text in BLOCKS if language == "diff")


def changed(script):
    """Return the script with the lines of the page changed."""
    lines = CHANGES.splitlines()
    for before, after in zip(lines[::2], lines[1::2], strict=True):
        assert (before[0], after[0], script.count(before[1:] + "\n")) == ("-", "+", 1)
        script = script.replace(before[1:] + "\n", after[1:] + "\n")
    return script


def test_the_program_has_forty_lines_and_two_of_them_change():
    lines = SCRIPT.splitlines()

    assert 35 <= len(lines) <= 45
    assert sum(one != other for one, other in zip(lines, changed(SCRIPT).splitlines(), strict=True)) == 2


@pytest.mark.parametrize("change", [str, changed], ids=["before", "after"])
def test_the_program_runs(change, tmp_path, monkeypatch):
    pytest.importorskip("requests")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "program.py").write_text(change(SCRIPT), encoding="utf-8")
    rules = b"User-agent: *\nCrawl-delay: 0\nDisallow: /a\nDisallow: /b/secret\nAllow: /\n"
    routes = {"/robots.txt": answer(200, rules), "/b": answer(200, b"Title\nText")}
    with Server(routes) as server:
        pages = [f"{server.origin}{path}" for path in ("/a", "/b", "/b/secret")]
        finished = subprocess.run(
            [sys.executable, tmp_path / "program.py", *pages],
            capture_output=True,
            encoding="utf-8",
            check=True,
        )

    assert finished.stdout.splitlines() == [f"{pages[0]} None", f"{pages[1]} Title", f"{pages[2]} None"]
    assert server.asked == ["GET /robots.txt", "GET /b"]
