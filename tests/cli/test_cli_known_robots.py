"""`--agent` of known robots: the catalogue answers, the output states what is assumed, `--exact` turns it off."""

import json

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

from comity.cli import main

ROBOTS = b"""\
User-agent: *
Disallow: /all

User-agent: Googlebot
Disallow: /google
Allow: /shop/index.html
Disallow: /shop
"""

ASSUMED = "Assumed about known robots; --exact assumes nothing:"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    return tmp_path


def check(*words):
    return CliRunner().invoke(main, ["check", "--robots", "robots.txt", *words])


@pytest.mark.parametrize(
    ("agent", "path", "status", "exact_status"),
    [
        ("Googlebot-Image", "/google", 1, 0),
        ("Googlebot-News", "/google", 1, 0),
        ("Googlebot-Image", "/all", 0, 1),
        ("Applebot", "/google", 1, 0),
        ("AdsBot-Google", "/all", 0, 1),
        ("Google-Extended", "/all", 1, 1),
        ("Googlebot", "/shop/", 0, 1),  # an index page, in the dialect of Google
        ("Googlebot-Image,Googlebot", "/google", 1, 1),
        (
            "Mozilla/5.0 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
            "/all",
            0,
            1,
        ),
        ("ExampleBot", "/all", 1, 1),
    ],
)
def test_answer(agent, path, status, exact_status):
    assert check(path, "--agent", agent).exit_code == status
    exact = check(path, "--agent", agent, "--exact")
    assert (exact.exit_code, ASSUMED in exact.stdout) == (exact_status, False)


def test_text_states_each_assumption_once():
    result = check(
        "/google", "/all", "--agent", "Googlebot-Image", "--agent", "AdsBot-Google", "--agent", "Googlebot"
    )
    lines = result.stdout.splitlines()

    assert lines[lines.index(ASSUMED) + 1 :] == [
        "  Googlebot-Image uses the group of Googlebot if no group names it "
        "(https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers)",
        "  Googlebot-Image reads robots.txt as Google's own parser, by the dialect google (https://github.com/google/robotstxt)",
        "  AdsBot-Google ignores the groups for *, so only a group that names it applies "
        "(https://developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers)",
        "  AdsBot-Google reads robots.txt as Google's own parser, by the dialect google (https://github.com/google/robotstxt)",
        "  Googlebot reads robots.txt as Google's own parser, by the dialect google (https://github.com/google/robotstxt)",
        "4 allowed, 2 disallowed",
    ]
    assert ASSUMED not in check("/all", "--agent", "ExampleBot").stdout
    assert ASSUMED not in check("/all").stdout


def test_robot_that_does_not_obey():
    result = check("/all", "--agent", "Perplexity-User", "--explain")

    assert result.exit_code == 1
    assert "does not follow robots.txt, or need not, by the statement of its operator" in result.stdout
    record = json.loads(check("/all", "--agent", "Perplexity-User", "--json").stdout)
    assert "the answers are only those of the file" in record["assumptions"][0]
    assert "assumptions" not in json.loads(
        check("/all", "--agent", "Perplexity-User", "--exact", "--json").stdout
    )


def test_reason_of_a_robot_that_ignores_the_default_group():
    record = json.loads(check("/all", "--agent", "AdsBot-Google", "--json").stdout)

    assert (record["allowed"], record["reason"]) == (True, "default-group-ignored")
    assert record["explanation"].startswith("no group names AdsBot-Google, and it ignores the groups for *")


@pytest.mark.parametrize("words", [["--dialect", "rfc9309"], ["--policy", "lwp"]])
def test_chosen_dialect_wins(words):
    result = check("/shop/", "--agent", "Googlebot", *words)

    assert (result.exit_code, "dialect google" in result.stdout) == (1, False)


def test_strange_agents():
    assert check("/all", "--agent", "").exit_code == 2
    assert check("/all", "--agent", "Googlebot-Image,").exit_code == 2
    odd = check("/all", "--agent", "Goo\x1b[31mglebot\n", "--agent", "Googlebot")
    assert (odd.exit_code, "\x1b[31m" in odd.stdout) == (1, False)


def test_site_and_page():
    routes = {"/robots.txt": answer(200, ROBOTS), "/all": answer(200, b"<p>", {"content-type": "text/html"})}
    with Server(routes) as site:
        words = ["check", f"{site.origin}/all", "--contact", "bot@example.com", "--user-agent", "OurBot/1.0"]
        ads = CliRunner().invoke(main, [*words, "--agent", "AdsBot-Google"])
        page = CliRunner().invoke(
            main, [*words, "--page", "--agent", "AdsBot-Google", "--agent", "Googlebot-Image", "--json"]
        )
    assert (ads.exit_code, ASSUMED in ads.stdout) == (0, True)
    first, second = map(json.loads, page.stdout.splitlines())
    assert (first["allowed"], second["allowed"]) == (True, True)
    assert len(first["assumptions"]) == len(second["assumptions"]) == 2


def test_diff_states_assumptions(folder):
    (folder / "new.txt").write_bytes(ROBOTS.replace(b"/google", b"/search").replace(b"/all", b"/every"))
    words = [
        "diff",
        "robots.txt",
        "new.txt",
        "--json",
        "--agent",
        "AdsBot-Google",
        "--agent",
        "Googlebot-Image",
    ]
    found = json.loads(CliRunner().invoke(main, words).stdout)
    exact = json.loads(CliRunner().invoke(main, [*words, "--exact"]).stdout)

    assert {name: one["changed"] for one in found["changes"] for name in one["agents"]} == {
        "AdsBot-Google": False,
        "Googlebot-Image": True,
    }
    assert (len(found["assumptions"]), exact["assumptions"]) == (4, [])
    [change] = exact["changes"]
    assert (change["agents"], change["dialects"]) == (["AdsBot-Google", "Googlebot-Image"], ["rfc9309"])
    assert [one["patterns"] for one in change["closed"]] == [["/every"]]
    text = CliRunner().invoke(main, [*words[:3], *words[4:]]).stdout
    assert ASSUMED in text


def test_answers_name_the_robots_that_were_asked_for():
    asked = ["Googlebot-Image", "googlebot-news", "Applebot", "Googlebot"]
    words = ["/google", *(word for agent in asked for word in ("--agent", agent))]
    table = check(*words).stdout.splitlines()[1:5]
    explained = check(*words, "--explain").stdout.splitlines()[:8]
    rows = check(*words, "--csv").stdout.splitlines()[1:5]
    records = [json.loads(line) for line in check(*words, "--json").stdout.splitlines()]

    assert [line.split()[2] for line in table] == asked
    assert explained[::2] == [f"disallowed  /google for {agent}" for agent in asked]
    assert all("(group Googlebot, lines 4-7)" in line for line in explained[1::2])
    assert [row.split(",")[1] for row in rows] == asked
    assert [(record["agent"], record["group_agent"]) for record in records] == [
        (agent, "Googlebot") for agent in asked
    ]


@pytest.mark.parametrize(("name", "stated"), [("bingbot", 0), ("Bingbot", 0), ("msnbot", 1), ("*", 0)])
def test_fallback_is_stated_only_if_it_is_used(folder, name, stated):
    (folder / "robots.txt").write_bytes(f"User-agent: {name}\nDisallow: /a".encode())
    outputs = [
        check("/b", "--agent", "bingbot"),
        check("/b", "--agent", "bingbot", "--json"),
        CliRunner().invoke(main, ["matrix", "robots.txt", "--agent", "bingbot"]),
        CliRunner().invoke(main, ["diff", "robots.txt", "robots.txt", "--agent", "bingbot"]),
    ]

    assert [output.stdout.count("uses the group of msnbot") for output in outputs] == [stated] * 4
