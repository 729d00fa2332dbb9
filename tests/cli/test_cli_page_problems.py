"""The problems that `comity check --page` reports, against loopback servers."""

import json

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

from comity.cli import main

ROBOTS = b"""\
User-agent: *
Disallow: /private
Disallow: /style/

User-agent: ClosedBot
Disallow: /hidden

User-agent: Googlebot
Disallow: /style/
Disallow: /private
"""
HTML = {"content-type": "text/html"}


def html(body, **fields):
    return answer(200, body, {**HTML, **{name.replace("_", "-"): value for name, value in fields.items()}})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def site():
    with Server({"/robots.txt": answer(200, ROBOTS)}) as server:
        yield server


def check(*words):
    sent = ["--contact", "bot@example.com", "--user-agent", "OurBot/1.0"]
    result = CliRunner().invoke(main, ["check", "--page", *words, *sent])
    assert "Traceback" not in result.output
    return result


def problems(*words):
    result = check(*words, "--json")
    return {
        one["code"]: one for one in json.loads(result.stdout.splitlines()[0])["problems"]
    }, result.exit_code


def test_mistakes_of_directives(site):
    body = b'<meta name="robots" content="noindex nofollow, nosnipet">\n<meta name=robots content="unavailable_after: soon">'
    site.routes["/page"] = html(body)
    found, status = problems(f"{site.origin}/page")

    assert (list(found), status) == (["missing-comma", "misspelt-rule", "invalid-value"], 1)
    assert [one["line"] for one in found.values()] == [1, 1, 2]
    text = check(f"{site.origin}/page")
    assert (
        f"Problems of {site.origin}/page:\n  error missing-comma: `noindex nofollow` is one unknown rule"
        in text.stdout
    )
    assert text.exit_code == 1
    assert check(f"{site.origin}/page", "--respect", "ai-input").exit_code == 0  # the status is about the use


def test_page_without_mistakes(site):
    site.routes["/page"] = html(b'<meta name="robots" content="noarchive, noodp, tea">')
    found, status = problems(f"{site.origin}/page")

    assert ({code: one["severity"] for code, one in found.items()}, status) == (
        {"unknown-rule": "information"},
        0,
    )


def test_noindex_that_the_robot_cannot_read(site):
    site.routes["/hidden"] = html(b"<p>", x_robots_tag="noindex")
    found, status = problems(f"{site.origin}/hidden", "--agent", "ClosedBot")

    assert (list(found), status) == (["unread-noindex"], 1)
    assert (
        "ClosedBot may not fetch the page, so it cannot read `noindex`" in found["unread-noindex"]["message"]
    )
    assert "line 6 `Disallow: /hidden`" in found["unread-noindex"]["message"]
    both, _ = problems(f"{site.origin}/hidden", "--agent", "ClosedBot", "--agent", "ExampleBot")
    assert list(both) == ["unread-noindex"]
    assert problems(f"{site.origin}/hidden", "--agent", "ExampleBot") == ({}, 0)
    assert problems(f"{site.origin}/hidden/gone", "--agent", "ClosedBot") == ({}, 1)  # 404: nothing is read
    assert "GET /hidden/gone" in site.asked


def test_page_that_nobody_may_fetch_is_not_fetched(site):
    assert problems(f"{site.origin}/private", "--agent", "ExampleBot") == ({}, 1)
    assert "GET /private" not in site.asked
