"""`comity fetch`, and `comity check` without a file, against servers of our own."""

import json
import tempfile

import pytest
from click.testing import CliRunner
from http_server import Server, answer, redirect, unused_port

from comity.cli import main

ROBOTS = b"User-agent: *\nDisallow: /private\nDisalow: /x\nSitemap: https://example.com/s.xml\n\nUser-agent: A\nDisallow: /a\n"


def comity(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    path = tmp_path / "store.sqlite3"
    monkeypatch.setenv("COMITY_STORE", str(path))
    return path


@pytest.fixture
def site():
    with Server({"/robots.txt": answer(200, ROBOTS)}) as server:
        yield server


@pytest.fixture
def broken():
    with Server({"/robots.txt": answer(503, headers={"retry-after": "120"})}) as server:
        yield server


def test_fetch_tells_what_came_and_what_it_means(site):
    with Server({"/robots.txt": redirect(f"{site.origin}/robots.txt")}) as mirror:
        result = comity("fetch", f"{mirror.origin}/any/page?x=1")

    lines = [line.split(None, 1) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert lines[:2] == [["301", f"{mirror.origin}/robots.txt"], ["200", f"{site.origin}/robots.txt"]]
    facts = {line[0]: line[1] for line in lines[2:]}
    assert facts["outcome"] == "rules: the rules of the robots.txt hold"
    assert facts["size"] == f"{len(ROBOTS)} bytes, 7 lines"
    assert facts["content"] == "2 groups, 3 rules, 1 sitemap"
    assert facts["diagnostics"] == "1 warning"
    assert facts["expires"].endswith("(1 day from now)")
    assert "/robots.txt:3:1: warning C401 misspelt-field: " in result.stderr


@pytest.mark.parametrize(("status", "outcome", "code"), [
    (404, "unavailable: there is no robots.txt, so everything is allowed", 0),
    (403, "unavailable: there is no robots.txt, so everything is allowed", 0),
    (429, "unreachable: the robots.txt cannot be had, so everything is disallowed", 3),
    (500, "unreachable: the robots.txt cannot be had, so everything is disallowed", 3),
])  # fmt: skip
def test_fetch_of_no_file(status, outcome, code):
    with Server({"/robots.txt": answer(status)}) as server:
        result = comity("fetch", server.origin)

    assert (result.exit_code, f"outcome      {outcome}" in result.stdout) == (code, True)


def test_fetch_follows_another_policy():
    with Server({"/robots.txt": answer(403)}) as server:
        assert comity("fetch", server.origin, "--policy", "strict").exit_code == 3


def test_fetch_of_a_host_that_is_not_there():
    result = comity("fetch", f"http://127.0.0.1:{unused_port()}/")

    assert result.exit_code == 3
    assert result.stdout.startswith("---  http://127.0.0.1:")
    assert "cause        the host refuses the connection" in result.stdout


def test_fetch_prints_the_body_alone(site):
    result = comity("fetch", site.origin, "--body")

    assert result.stdout_bytes == ROBOTS
    assert "outcome      rules" in result.stderr


def test_fetch_for_programs(site):
    said = json.loads(comity("fetch", site.origin, "--json").stdout)

    assert (said["outcome"], said["cause"], said["status"], said["size"]) == (
        "rules",
        "ok",
        200,
        len(ROBOTS),
    )
    assert said["diagnostics"][0]["name"] == "misspelt-field"


def test_fetch_keeps_nothing_and_asks_each_time(site, store):
    for _ in range(2):
        assert comity("fetch", site.origin).exit_code == 0

    assert site.paths() == ["/robots.txt", "/robots.txt"]
    assert not store.exists()


@pytest.mark.parametrize(("url", "says"), [
    ("example.com", "write https://example.com"),
    ("mailto:someone@example.com", "no robots.txt speaks of URLs of this scheme"),
    ("http://exa mple/", "a character in its host"),
    ("http://", "no host"),
    ("http://example.com:99999/", "port"),
    ("http://[::1", ""),
])  # fmt: skip
def test_what_is_no_url_is_wrong_usage(url, says):
    result = comity("fetch", url)

    assert result.exit_code == 2
    assert says in result.stderr


def test_check_asks_each_site_once_and_keeps_the_answer(site, store):
    with Server() as other:
        for _ in range(2):
            result = comity(
                "check", f"{site.origin}/private/x", f"{site.origin}/y", f"{other.origin}/private/x"
            )
            assert result.exit_code == 1
            assert [line.split()[0] for line in result.stdout.splitlines()[1:4]] == [
                "disallowed",
                "allowed",
                "allowed",
            ]

        assert site.paths() == other.paths() == ["/robots.txt"]
    assert store.exists()


def test_check_for_several_robots(site):
    result = comity("check", f"{site.origin}/a", "--agent", "A", "--agent", "B", "--json")

    assert [json.loads(line)["allowed"] for line in result.stdout.splitlines()] == [False, True]


def test_check_of_a_site_that_is_out_of_order_is_3(site, broken):
    result = comity("check", f"{broken.origin}/", f"{site.origin}/private", "--explain")

    assert result.exit_code == 3
    assert "answers 503), so everything is disallowed" in result.stdout


def test_check_by_another_dialect(site):
    """`Disalow` is a typo that the dialect of 1996 does not know."""
    assert comity("check", f"{site.origin}/x").exit_code == 1
    assert comity("check", f"{site.origin}/x", "--dialect", "draft1996").exit_code == 0


def test_a_path_is_of_no_site():
    result = comity("check", "/private")

    assert result.exit_code == 2
    assert "name a file with --robots" in result.stderr


def test_a_store_that_cannot_be_used_is_told_and_done_without(site, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("COMITY_STORE", str(tmp_path / "file" / "store.sqlite3"))
    result = comity("check", f"{site.origin}/private")

    assert result.exit_code == 1
    assert result.stderr.startswith("Note: the cache is unavailable, so answers are not stored")


def test_the_header_is_the_one_that_was_given(site):
    comity("fetch", site.origin, "--user-agent", "ExampleBot/1.0 (+https://example.com/bot)")
    comity("fetch", site.origin)

    given, usual = (visit.headers["user-agent"] for visit in site.visits)
    assert given == "ExampleBot/1.0 (+https://example.com/bot)"
    assert usual.startswith("Comity/")


def test_a_header_that_is_none(site):
    assert comity("fetch", site.origin, "--user-agent", "a\r\nb: c").exit_code == 2
    assert site.paths() == []


def test_what_a_server_says_cannot_steer_the_terminal():
    routes = {
        "/robots.txt": redirect("/x\x1b[31m"),
        "*": answer(200, b"", {"content-type": "text/\x1b[31mplain"}),
    }
    with Server(routes) as server:
        for arguments in (["fetch", server.origin], ["fetch", server.origin, "--json"]):
            result = comity(*arguments)
            assert "\x1b" not in result.output


def test_demo_obeys_on_its_own_site(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr("comity.politeness.stores.database.default_path", lambda: tmp_path / "store.sqlite3")
    result = comity("demo")

    assert result.exit_code == 0
    assert "GET /cart   Disallowed:" in result.stdout
    log = result.stdout.partition("The same from the site's side")[2].partition("A crawl:")[0].rstrip()
    assert [line.split()[2] for line in log.splitlines()[2:]] == ["/robots.txt", "/", "/tea", "/offer"]
    judged = result.stdout.partition("The same from the sites' side")[2]
    assert "allowed pages fetched: 17 of 17" in judged
    assert "forbidden pages fetched: 0" in judged
    assert float(judged.partition("wants 0.2 s: ")[2].split()[0]) >= 0.2
    assert "<svg" in (tmp_path / "demo-crawl.html").read_text()
    assert list(temporary.iterdir()) == []
