"""The name and the contact that commands send, judged by the log of a server."""

import os

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer, redirect
from platforms import posix_only

from comity.cli import contact, main

ROBOTS = b"User-agent: *\nDisallow: /private\n"

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36"

#: Commands that fetch only robots.txt.
ROBOTS_ONLY = [
    ("check", "SITE/page"),
    ("check", "SITE/page", "SITE/private", "--policy", "strict", "--json"),
    ("fetch", "SITE/page"),
    ("fetch", "SITE/page", "--body"),
    ("lint", "SITE/"),
    ("diff", "SITE/", "SITE/"),
]

#: Commands that fetch pages, files about the use of content, or sitemaps.
MORE = [
    ("check", "--page", "SITE/page"),
    ("check", "--page", "SITE/moved", "SITE/private", "--json"),
    ("check", "--page", "SITE/page", "--regions", "--respect", "tdm"),
    ("fetch", "--page", "SITE/page"),
    ("diff", "SITE/", os.devnull, "--urls", "SITE/urls.txt"),
    ("diff", os.devnull, os.devnull, "--urls", "SITE/urls.txt"),
    ("diff", "SITE/", os.devnull, "--urls", "index.xml"),
]


@pytest.fixture
def home(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch, address=None)
    return tmp_path


@pytest.fixture
def site(home):
    routes = {
        "/robots.txt": answer(200, ROBOTS),
        "/page": answer(200, b"<p>Tea", {"content-type": "text/html"}),
        "/moved": redirect("/page"),
        "/urls.txt": answer(200, b"/a\n/private\n"),
    }
    with Server(routes) as server:
        entry = f"<sitemap><loc>{server.origin}/urls.txt</loc></sitemap>"
        (home / "index.xml").write_text(f"<sitemapindex>{entry}</sitemapindex>", encoding="utf-8")
        yield server


def run(site, words, *more):
    result = CliRunner().invoke(main, [*(word.replace("SITE", site.origin) for word in words), *more])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def sent(site, name):
    return [head.get(name) for head in site.heads]


@pytest.mark.parametrize("words", ROBOTS_ONLY, ids=" ".join)
def test_robots_txt_alone_needs_no_contact(site, words):
    assert "contact" not in run(site, words).stderr
    contact.store("bot@example.com")
    run(site, words)

    assert {line.partition(" ")[2] for line in site.asked} == {"/robots.txt"}
    assert set(sent(site, "from")) == {None}


@pytest.mark.parametrize("words", MORE, ids=" ".join)
def test_nothing_else_is_fetched_without_a_contact(site, words):
    result = run(site, words)

    assert result.exit_code == 2
    assert "no contact; name one once, such as --contact bot@example.com; it is stored in" in result.stderr
    assert {line.partition(" ")[2] for line in site.asked} <= {"/robots.txt"}


@pytest.mark.parametrize("words", MORE, ids=" ".join)
def test_contact_is_sent_with_more_than_robots_txt(site, words):
    assert run(site, words, "--contact", "bot@example.com").exit_code in (0, 1)
    assert contact.load() == "bot@example.com"
    assert run(site, words).exit_code in (0, 1)

    more = [head["from"] for line, head in zip(site.asked, site.heads, strict=True) if "/robots" not in line]
    assert len(more) >= 2
    assert set(more) == {"bot@example.com"}


def test_page_as_contact_is_sent_in_the_user_agent(site):
    words = ["check", "--page", "SITE/page", "--user-agent", "ExampleBot/1.0"]
    assert run(site, words, "--contact", "https://example.com/me").exit_code == 0
    assert set(sent(site, "user-agent")) == {"ExampleBot/1.0 (+https://example.com/me)"}


def test_contact_of_a_check_of_robots_txt_is_sent_if_it_is_given(site):
    assert run(site, ["check", "SITE/page"], "--contact", "bot@example.com").exit_code == 0
    assert sent(site, "from") == ["bot@example.com"]


@pytest.mark.parametrize("words", [("check", "--page", "SITE/page"), ("fetch", "SITE/page")], ids=" ".join)
@pytest.mark.parametrize(
    "address", ["", "me", "bot@example.com\nX: y", "ftp://example.com/", "https://bot:hunter2@example.com/"]
)
def test_invalid_contact_is_refused(site, words, address):
    result = run(site, words, "--contact", address)

    assert (result.exit_code, site.asked) == (2, [])
    assert "Error: --contact: invalid contact" in result.stderr
    assert "hunter2" not in result.stderr
    assert contact.load() is None


def test_invalid_stored_contact_is_refused(site):
    contact.store("me")
    result = run(site, ["check", "--page", "SITE/page"])

    assert (result.exit_code, site.asked) == (2, [])
    assert f"Error: {contact.default_path()}: invalid contact 'me'" in result.stderr


@pytest.mark.parametrize(
    "words", [("check", "SITE/"), ("fetch", "SITE/"), ("lint", "SITE/"), ("diff", "SITE/", os.devnull), ("crawl", "SITE/")]
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "--user-agent': it is empty"),
        ("  ", "--user-agent': it is empty"),
        ("My Bot", "--user-agent: invalid user_agent 'My Bot': a name has no spaces; write one word"),
        ("*", "--user-agent: invalid user_agent '*': a name has letters"),
        ("mozilla/5.0", "--user-agent: invalid user_agent 'mozilla/5.0': the header of a browser"),
        (CHROME, "the header of a browser; name the robot, as in 'ExampleBot/1.0"),
        ("Bot\x1b[2J/1", "invalid User-Agent header 'Bot\\x1b[2J/1': expected printable ASCII"),
    ],
)
def test_commands_need_a_name_of_their_own(site, words, name, message):
    contact.store("bot@example.com")
    result = run(site, words, "--user-agent", name)

    assert message in result.stderr
    assert (result.exit_code, site.asked) == (2, [])


def test_contact_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(contact, "default_path", lambda: tmp_path / "comity" / "crawl.toml")
    assert contact.load() is None
    contact.store('https://example.com/"bot"\\')
    assert contact.load() == 'https://example.com/"bot"\\'
    (tmp_path / "comity" / "crawl.toml").write_bytes(b"contact = 1")
    with pytest.raises(ValueError, match="not a string"):
        contact.load()


@posix_only("named pipes")
def test_pipe_instead_of_the_stored_contact_is_refused(tmp_path, monkeypatch):
    """It is not opened, because a pipe without a writer would block."""
    monkeypatch.setattr(contact, "default_path", lambda: tmp_path / "crawl.toml")
    os.mkfifo(tmp_path / "crawl.toml")
    with pytest.raises(OSError, match="not a regular file"):
        contact.load()
