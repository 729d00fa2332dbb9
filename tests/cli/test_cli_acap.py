"""ACAP's permissions to crawl in every way to fetch: off by default, obeyed on request."""

import asyncio
import json
import shutil

import forked_python
import httpx2
import pytest
import scrapy_harness
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

import comity
from comity.cli import main

ROBOTS = b"""\
##ACAP version=1.1
User-agent: *
Disallow: /closed
ACAP-crawler: *
ACAP-disallow-crawl: /archive/
ACAP-allow-crawl: /closed
ACAP-disallow-index: /open
ACAP-disallow-preserve: /
"""

PATHS = ["/open", "/archive/1", "/closed"]


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)


@pytest.fixture
def site():
    page = answer(200, b"<p>Tea", {"content-type": "text/html"})
    with Server({"/robots.txt": answer(200, ROBOTS), "/ai.txt": answer(404), "*": page}) as server:
        server.routes["/.well-known/tdmrep.json"] = answer(404)
        yield server


AGENT = {"user_agent": "ExampleBot/1.0", "contact": "bot@example.com", "delay": 0.0}


def get(client, urls):
    for url in urls:
        try:
            client.get(url)
        except comity.Disallowed:
            continue


def robot(urls, **reading):
    with comity.Robot(trust_env=False, **AGENT, **reading) as client:
        get(client, urls)


def transport(urls, **reading):
    wrapped = comity.RobotsTransport(httpx2.HTTPTransport(), **AGENT, **reading)
    with httpx2.Client(transport=wrapped) as client:
        get(client, urls)


def async_robot(urls, **reading):
    async def run():
        async with comity.AsyncRobot(trust_env=False, **AGENT, **reading) as client:
            for url in urls:
                try:
                    await client.get(url)
                except comity.Disallowed:
                    continue

    asyncio.run(run())


def scrapy(urls, acap=False):
    scrapy_harness.crawl(*urls, COMITY_ACAP=acap, LOG_LEVEL="ERROR")


def crawl(urls, acap=False):
    words = [
        "-m",
        "comity",
        "crawl",
        "--contact",
        "bot@example.com",
        "--json",
        "--job",
        "job",
        "--delay",
        "0",
    ]
    done = forked_python.run(
        [*words, *urls, *(["--acap"] if acap else [])], capture_output=True, encoding="utf-8", timeout=60
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["outcomes"]) == (1, {"disallowed": 1 + acap, "stored": 2 - acap})
    if acap:
        assert any("`ACAP-disallow-crawl: /archive/`" in one["reason"] for one in report["refusals"])


def check_page(urls, acap=False):
    command("check", "--page", *urls, *(["--acap"] if acap else []))


def fetch_page(urls, acap=False):
    for url in urls:
        command("fetch", "--page", url, *(["--acap"] if acap else []))


def command(*words):
    result = CliRunner().invoke(main, words)
    assert result.exit_code in (0, 1), result.output
    return result


@pytest.mark.parametrize(
    "way",
    [robot, transport, async_robot, scrapy, crawl, check_page, fetch_page],
    ids=lambda way: way.__name__,
)
def test_acap_is_obeyed_on_request(way, site):
    urls = [f"{site.origin}{path}" for path in PATHS]
    way(urls)
    assert [path for path in PATHS if path in site.paths()] == ["/open", "/archive/1"]

    site.visits.clear()
    shutil.rmtree("job", ignore_errors=True)  # a crawl with other options is another job
    way(urls, acap=True)
    assert [path for path in PATHS if path in site.paths()] == ["/open"]


def test_check_names_the_acap_line(site):
    result = command("check", "--acap", "--json", f"{site.origin}/archive/1", f"{site.origin}/closed")
    archive, closed = map(json.loads, result.stdout.splitlines())

    assert (archive["allowed"], archive["reason"], archive["line"]) == (False, "acap", 5)
    assert archive["rule"]["text"] == "ACAP-disallow-crawl: /archive/"
    assert (closed["allowed"], closed["line"]) == (False, 3)
    assert result.exit_code == 1
    assert command("check", f"{site.origin}/archive/1").exit_code == 0


def test_check_of_a_file(tmp_path):
    file = tmp_path / "robots.txt"
    file.write_bytes(ROBOTS)

    assert command("check", "--robots", str(file), "/archive/1").exit_code == 0
    result = command("check", "--acap", "--robots", str(file), "/archive/1", "--explain")
    assert (result.exit_code, "line 5 `ACAP-disallow-crawl: /archive/`" in result.stdout) == (1, True)


def test_page_shows_the_other_permissions(site):
    result = command("check", "--page", "--acap", f"{site.origin}/open", "--respect", "search")
    lines = [line.split(maxsplit=2) for line in result.stdout.splitlines()]

    assert ["acap-preserve", "disallowed", "robots.txt line 8 `ACAP-disallow-preserve: /`"] in lines
    assert ["acap-index", "disallowed", "robots.txt line 7 `ACAP-disallow-index: /open`"] in lines
    assert ["search", "disallowed", "robots.txt line 7 `ACAP-disallow-index: /open`"] in lines
    assert result.exit_code == 1
    assert "acap" not in command("check", "--page", f"{site.origin}/open").stdout


def test_robot_respects_the_index_permission(site):
    with comity.Robot(trust_env=False, acap=True, respect="search", **AGENT) as client:
        with pytest.raises(comity.Disallowed, match="line 5 `ACAP-disallow-crawl: /archive/`"):
            client.get(f"{site.origin}/archive/1")
        with pytest.raises(comity.UsageDisallowed, match="line 7 `ACAP-disallow-index: /open`"):
            client.get(f"{site.origin}/open")
        assert client.page(f"{site.origin}/tea").usage.deciding("acap-preserve").place == 8
    assert "/open" not in site.paths()


def test_acap_of_fetch_needs_the_page():
    result = CliRunner().invoke(main, ["fetch", "--acap", "http://example.com"])

    assert (result.exit_code, "--acap needs the page; add --page" in result.output) == (2, True)
