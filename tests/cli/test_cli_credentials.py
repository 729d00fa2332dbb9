"""Passwords of the commands: where they come from, which requests have them, and that no output shows them."""

import json
import os

import httpx2
import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import HOSTS, Server, answer, redirect
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from platforms import posix_only

import comity
from comity.cli import main
from comity.cli.terminal import shown

LOGIN = "bot", "hunter2"
ROBOTS = b"User-agent: *\nDisallow: /private\nSitemap: http://bot:hunter2@site.example/s.xml\n"
ROUTES = {"/robots.txt": answer(200, ROBOTS), "/": answer(200, b"a page")}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of a user without a netrc file."""
    own_home(tmp_path, monkeypatch)
    monkeypatch.delenv("NETRC", raising=False)
    return tmp_path / "config"


@pytest.fixture
def site(home):
    """A site that needs a password, without which it answers 401."""
    with Server(ROUTES, login=LOGIN) as server:
        yield server


def comity_with(*arguments, **env):
    return CliRunner(env=env).invoke(main, arguments)


def netrc(home, text, mode=0o600):
    file = home / ".netrc"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


COMMANDS = {
    "check": lambda url: ("check", f"{url}/private"),
    "check page": lambda url: ("check", "--page", f"{url}/"),
    "fetch": lambda url: ("fetch", url),
    "fetch page": lambda url: ("fetch", "--page", url),
    "lint": lambda url: ("lint", f"{url}/robots.txt"),
    "diff": lambda url: ("diff", url, url),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_password_of_the_environment(site, name):
    given = COMMANDS[name](site.origin)
    comity_with(*given, COMITY_USER="bot", COMITY_PASSWORD="hunter2")

    assert site.heads
    assert all(head.get("authorization", "").startswith("Basic ") for head in site.heads)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_password_in_a_url_is_sent_and_not_shown(site, name, more):
    url = site.origin.replace("//", "//bot:hunter2@")
    result = comity_with(*COMMANDS[name](url), *more)

    assert result.exit_code in (0, 1), result.output
    assert all(head.get("authorization", "").startswith("Basic ") for head in site.heads)
    assert "hunter2" not in result.output
    assert "bot:" not in result.output


def test_password_of_netrc(site, home):
    netrc(home, "machine 127.0.0.1 login bot password hunter2\n")
    result = comity_with("check", f"{site.origin}/private")

    assert result.exit_code == 1
    assert "hunter2" not in result.output


def test_netrc_holds_for_urls_of_files(site, home):
    netrc(home, "machine 127.0.0.1 login bot password hunter2\n")
    (home / "urls").write_text(f"{site.origin}/private\n", encoding="utf-8")

    assert comity_with("check", "--urls", str(home / "urls")).exit_code == 1


def test_named_user_is_not_sent_to_urls_of_files(site, home):
    (home / "urls").write_text(f"{site.origin}/private\n", encoding="utf-8")
    other = f"http://{HOSTS[1]}:1/"
    comity_with("check", "--urls", str(home / "urls"), other, COMITY_USER="bot", COMITY_PASSWORD="x")

    assert ["authorization" in head for head in site.heads] == [False]


def test_variable_names_another_netrc_file(site, home):
    (home / "other").write_text("machine 127.0.0.1\nlogin bot\npassword hunter2", encoding="utf-8")

    assert comity_with("check", f"{site.origin}/private", NETRC=str(home / "other")).exit_code == 1


def test_user_chooses_an_entry_of_netrc(site, home):
    netrc(home, "machine 127.0.0.1 login bot password hunter2\n")

    assert comity_with("check", f"{site.origin}/private", "--user", "bot").exit_code == 1
    result = comity_with("check", f"{site.origin}/private", "--user", "other")
    assert "no password for other; set COMITY_PASSWORD, or add --ask-password" in result.output


def test_default_entry_of_netrc_is_not_sent(site, home):
    netrc(home, "default login bot password hunter2\n")
    comity_with("check", f"{site.origin}/private")

    assert "authorization" not in site.heads[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("machine a login b password c d e\n", 1),
        ("machine a\nlogin b\npassword c\n\nhunter2\n", 6),  # Python reads the line end with the word
        ("machine", 1),
    ],
)
def test_netrc_with_an_error(home, text, line):
    netrc(home, text)
    result = comity_with("check", "http://127.0.0.1:1/")

    assert result.exit_code == 2
    assert (
        f"~/.netrc: not a valid netrc file: an unexpected word in line {line} or at the end" in result.output
    )
    assert "hunter2" not in result.output


@posix_only("files of Windows have no mode")
def test_netrc_that_others_can_read(home):
    netrc(home, "machine a login b password c", 0o644)
    result = comity_with("check", "http://127.0.0.1:1/")

    assert result.exit_code == 2
    assert "~/.netrc: other users can read it; run: chmod 600 ~/.netrc; or set NETRC=" in result.output


def test_netrc_that_is_missing(home):
    result = comity_with("check", "http://127.0.0.1:1/", NETRC=str(home / "none"))

    assert result.exit_code == 2
    assert "none: cannot be read: No such file" in result.output


@pytest.mark.parametrize(
    ("arguments", "env", "message"),
    [
        ((), {"COMITY_PASSWORD": "x"}, "COMITY_PASSWORD needs a user name; add --user or set COMITY_USER"),
        (("--ask-password",), {}, "--ask-password needs a user name"),
        (("--user", ""), {}, "--user is empty"),
        (("--user", "a:b"), {}, "invalid --user 'a:b': expected printable text without a colon"),
        (("--user", "a"), {}, "no password for a; set COMITY_PASSWORD"),
        (("--user", "a", "--ask-password"), {}, "--ask-password needs a terminal; set COMITY_PASSWORD instead"),
        (("--password", "x"), {}, "No such option"),
    ],
)  # fmt: skip
def test_incomplete_login(home, arguments, env, message):
    result = comity_with("check", "http://127.0.0.1:1/", *arguments, **env)

    assert result.exit_code == 2
    assert message in result.output


def test_password_is_asked_for_once(site, monkeypatch):
    monkeypatch.setattr("comity.cli.session.is_terminal", lambda _: True)
    given = ("check", f"{site.origin}/private", "--user", "bot", "--ask-password")
    result = CliRunner().invoke(main, given, input="hunter2\nother\n")

    assert result.exit_code == 1
    assert result.output.count("Password for bot") == 1
    assert "hunter2" not in result.output


@pytest.mark.parametrize("command", [("check", "--page"), ("fetch", "--page"), ("fetch",), ("check",)])
def test_other_origins_get_no_password(home, command):
    with (
        Server(ROUTES) as other,
        Server(
            {"/robots.txt": redirect(f"{other.origin}/robots.txt"), "/": redirect(f"{other.origin}/")}
        ) as site,
    ):
        comity_with(*command, site.origin, COMITY_USER="bot", COMITY_PASSWORD="hunter2")

    assert all("authorization" in head for head in site.heads)
    assert other.heads
    assert not any("authorization" in head for head in other.heads)


def test_answers_for_a_user_are_not_cached(site):
    assert (
        comity_with("check", f"{site.origin}/private", COMITY_USER="bot", COMITY_PASSWORD="hunter2").exit_code
        == 1
    )
    assert comity_with("check", f"{site.origin}/private").exit_code == 0


@pytest.mark.parametrize("client", ["sync", "transport"])
def test_no_logger_shows_a_password(site, caplog, client):
    caplog.set_level("INFO")
    url = f"{site.origin}/".replace("//", "//bot:hunter2@")
    site.routes["/"] = redirect(url.replace("hunter2@", "hunter2x@") + "there")
    settings = {"contact": "bot@example.com", "delay": 0}
    if client == "sync":
        made = comity.Robot("ABot/1", **settings)
    else:
        wrapped = httpx2.HTTPTransport()
        made = httpx2.Client(
            transport=comity.RobotsTransport(wrapped, "ABot/1", **settings), follow_redirects=True
        )
    with made as robot:
        response = robot.get(url)

    assert response.history
    assert len(caplog.records) == 2
    assert "hunter2" not in f"{caplog.text} {response.url} {response.request}"
    assert site.asked[-1] == "GET /there"


TEXT = st.text(st.characters(exclude_characters="/?#@", exclude_categories=["Cs", "Z", "C"]), max_size=8)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=TEXT,
    after=TEXT,
    sign=st.sampled_from(["", "/", "?", "#", "@"]),
    at=st.sampled_from(["@", "@", "\N{FULLWIDTH COMMERCIAL AT}", "\N{SMALL COMMERCIAL AT}", "%40"]),
    host=st.sampled_from(["127.0.0.1:1", "[x", "h:h", "", "a_b c", "1.1"]),
    command=st.sampled_from([("check",), ("check", "--json"), ("check", "--page"), ("check", "--explain", "--robots", os.devnull), ("fetch",), ("fetch", "--page", "--json"), ("lint",), ("lint", "--json"), ("diff", os.devnull), ("crawl",)]),
)  # fmt: skip
def test_no_command_shows_a_password(home, before, after, sign, at, host, command):
    url = f"http://user:{before}hunter2{sign}{after}{at}{host}/x?y=z"
    result = CliRunner().invoke(main, [*command, url])

    assert result.exit_code in (0, 1, 2, 3)
    assert "hunter2" not in result.output + str(result.exception)


def test_sitemaps_of_json_have_no_password(site):
    result = comity_with("fetch", "--json", site.origin, COMITY_USER="bot", COMITY_PASSWORD="hunter2")

    assert json.loads(result.stdout)["sitemaps"] == ["http://site.example/s.xml"]


@pytest.mark.parametrize(
    "text", ["mailto:a@b", "http://a.example/@b", "bot@example.com and http://a.example/"]
)
def test_other_texts_are_shown_as_they_are(text):
    assert shown(text) == text
