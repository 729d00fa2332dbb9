"""`/llms.txt` in `comity check --page`, against test servers."""

import json

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer, redirect

from comity.cli import main
from comity.desk import site_client

ROBOTS = b"User-agent: TrainBot\nDisallow: /llms\n"
TEXT = {"content-type": "text/markdown; charset=utf-8"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    monkeypatch.setattr(site_client, "FLOOR", 0.0)


def check(file, *options, robots=ROBOTS, path="/page"):
    routes = {
        "/robots.txt": answer(200, robots),
        "/page": answer(200, b"Tea."),
        "/other": answer(200, b"Tea."),
    }
    if file is not None:
        routes["/llms.txt"] = file
    with Server(routes) as site:
        urls = [f"{site.origin}{path}", f"{site.origin}/other"]
        result = CliRunner().invoke(
            main, ["check", "--page", *urls, "--contact", "bot@example.com", *options]
        )
        return result, site.origin, site.asked


def test_each_robot_has_its_verdict_on_the_file_once():
    result, origin, asked = check(
        answer(200, b"# Tea\n", TEXT), "--agent", "ExampleBot", "--agent", "TrainBot"
    )
    lines = [line for line in result.stdout.splitlines() if line.startswith("llms.txt: ")]
    assert lines == [
        f"llms.txt: {origin}/llms.txt (6 bytes, text/markdown); ExampleBot may fetch it",
        f"llms.txt: {origin}/llms.txt (6 bytes, text/markdown); TrainBot may not fetch it: "
        "line 2 `Disallow: /llms` (group TrainBot, lines 1-2) is the only match",
    ]
    assert asked.count("GET /llms.txt") == 1
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("file", "exists", "reason", "size"),
    [
        (answer(200, b"# Tea\n", TEXT), True, None, 6),
        (answer(200, b"", TEXT), True, None, 0),
        (
            answer(200, b"<p>", {"content-type": "text/html"}),
            False,
            "the server sent text/html, not Markdown or plain text",
            0,
        ),
        (None, False, "the server answered 404", 0),
        (answer(410), False, "the server answered 410", 0),
        (answer(403), None, "the server answered 403", 0),
        (redirect("/page"), None, "the server answered 301", 0),
    ],
)
def test_answer_of_the_server_decides_whether_the_file_exists(file, exists, reason, size):
    result, origin, _ = check(file, "--agent", "TrainBot", "--json")
    found = json.loads(result.stdout.splitlines()[0])["llms_txt"]
    assert (found["url"], found["exists"], found["reason"]) == (f"{origin}/llms.txt", exists, reason)
    assert (found["size"], found["allowed"], found["line"]) == (size, False, 2)


def test_file_that_may_not_be_fetched_is_unknown():
    result, _, asked = check(
        answer(200, b"# Tea\n"), "--agent", "ExampleBot", robots=b"User-agent: *\nDisallow: /llms\n"
    )
    assert "llms.txt: unknown: " in result.stdout
    assert "GET /llms.txt" not in asked


def test_file_is_not_requested_if_no_page_was_fetched():
    result, _, asked = check(None, "--agent", "ExampleBot", "--json", robots=b"User-agent: *\nDisallow: /\n")
    assert all("llms_txt" not in json.loads(line) for line in result.stdout.splitlines())
    assert asked == ["GET /robots.txt"]
