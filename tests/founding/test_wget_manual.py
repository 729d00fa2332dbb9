"""The Wget manual on recursive retrieval, robots and passwords, and the options that its users expect."""

import base64
import logging
from itertools import pairwise

import pytest
from click.testing import CliRunner
from http_server import HOSTS, Server, answer

import comity
from comity.cli import main
from comity.testing import FakeClock

TYPE = {"content-type": "text/html"}


def page(*links):
    return answer(200, "".join(f'<a href="{link}">x</a>' for link in links).encode(), TYPE)


SITE = {
    "/robots.txt": answer(200, b"User-agent: *\nDisallow: /closed/\n"),
    "/": answer(200, b'<a href="/shop/">a</a> <a href="/closed/x">b</a> <img src="/logo.png">', TYPE),
    "/shop/": page("/shop/tea", "/about", "/gone"),
    "/shop/tea": page("/shop/tea/green"),
    "/shop/tea/green": page("/"),
    "/about": page("/"),
    "/closed/x": page(),
    "/logo.png": answer(200, b"png", {"content-type": "image/png"}),
}


@pytest.fixture
def site():
    with Server(SITE) as server:
        yield server


def test_site_is_retrieved_within_its_rules(crawl, site, tmp_path):
    status, report = crawl(f"{site.origin}/", "--job", "all")

    assert status == 0
    assert site.paths().count("/robots.txt") == 1
    assert sorted(set(site.paths())) == sorted({*SITE, "/gone"} - {"/closed/x"})
    assert report["outcomes"] == {"stored": 6, "disallowed": 1, "http-error": 1}
    root = tmp_path / "all" / "mirror"
    assert {path.name for path in root.rglob("*") if path.is_file()} >= {"about", "logo.png", "green"}


def test_same_command_continues(crawl, site):
    crawl(f"{site.origin}/", "--job", "part", "--limit", "2")
    asked = site.paths()
    crawl("--resume", "--job", "part", "--limit", "99", delay="0")

    assert asked < site.paths()
    assert all(site.paths().count(path) == 1 for path in SITE if path not in ("/robots.txt", "/closed/x"))


@pytest.mark.parametrize(("options", "paths"), [
    (("--depth", "0"), {"/", "/logo.png"}),
    (("--depth", "1"), {"/", "/logo.png", "/shop/"}),
    (("--depth", "inf"), {*SITE, "/gone"} - {"/robots.txt", "/closed/x"}),
    (("--include", "/shop/"), {"/", "/shop/", "/shop/tea", "/shop/tea/green"}),
    (("--exclude", "/shop/"), {"/", "/logo.png"}),
])  # fmt: skip
def test_depth_and_folders(crawl, site, options, paths):
    crawl(f"{site.origin}/", *options)

    assert set(site.paths()) == {"/robots.txt", *paths}


def test_first_page_needs_permission_too(crawl, site):
    """Wget never asks for the first page; Comity does, unless it is told otherwise."""
    assert crawl(f"{site.origin}/closed/x", "--depth", "0")[0] == 1
    assert site.paths() == ["/robots.txt"]
    assert crawl(f"{site.origin}/closed/x", "--depth", "0", "--force-start", "--job", "b")[0] == 0
    assert "/closed/x" in site.paths()


def test_other_hosts_only_on_request(crawl, site):
    with Server({"/robots.txt": answer(404), "/": page(f"{site.origin}/about")}) as other:
        crawl(f"{other.origin}/", "--job", "one")
        assert site.paths() == []
        named = ("--private-host", f"127.0.0.1:{site.port}")
        crawl(f"{other.origin}/", "--span-hosts", *named, "--depth", "1", "--job", "two")
        assert site.paths() == ["/robots.txt", "/about"]


def test_urls_and_domains_of_lists(crawl, site, tmp_path):
    """`-i` and `-H -D`: the start URLs are in a file, and links to hosts of the named domains are followed."""
    with Server({"/robots.txt": answer(404), "/here": page(f"{site.origin}/about", "http://other.example/")},
                host=HOSTS[1]) as start:  # fmt: skip
        (tmp_path / "urls.txt").write_text(
            f"# two pages\n{start.origin}/here\n\n{start.origin}/gone\n", "utf-8"
        )
        named = ("-D", site.host, "--private-host", f"{site.host}:{site.port}")
        _, report = crawl("-i", "urls.txt", *named, "--depth", "1", "--job", "lists")

        assert set(start.paths()) == {"/robots.txt", "/here", "/gone"}
        assert site.paths() == ["/robots.txt", "/about"]
    assert report["skipped_links"] == {"other-host": 1, "too-deep": 1}


def test_crawl_ends_at_its_size(crawl):
    """`-Q`: the page that exceeds the size is stored, and the next page is not requested."""
    large = answer(200, b"x" * 2000)
    with Server({"/robots.txt": answer(404), "/": page("/a", "/b", "/c"), "*": large}) as site:
        status, report = crawl(f"{site.origin}/", "-Q", "3K", "--job", "size")

        assert site.paths() == ["/robots.txt", "/", "/a", "/b"]
    assert (status, report["limits"], report["outcomes"]) == (0, ["max-bytes"], {"stored": 3, "queued": 1})


def test_mirror_is_browsed_and_refreshed(crawl, tmp_path):
    """`-k` and `-N`: links lead to the files, and the next run transfers the changed page."""
    routes = {
        "/robots.txt": answer(404),
        "/": answer(200, b'<a href="/shop?id=1">a</a>', {**TYPE, "etag": '"1"'}),
        "/shop?id=1": page("/"),
    }
    with Server(routes) as site:
        crawl(f"{site.origin}/", "--convert-links", "--job", "copy")
        (folder,) = (tmp_path / "copy" / "mirror").iterdir()
        pages = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
        site.routes |= {"/shop?id=1": page("/", "/?new"), "/?new": page()}
        _, report = crawl("--refresh", "--job", "copy")

        assert [head["if-none-match"] for head in site.heads if "if-none-match" in head] == ['"1"']
    assert pages == {
        "index.html": '<a href="shop@id=1.html">a</a>',
        "shop@id=1.html": '<a href="index.html">x</a>',
    }
    assert (report["refresh"]["changed"], report["refresh"]["new"]) == (
        [f"{site.origin}/shop?id=1"],
        [f"{site.origin}/?new"],
    )
    assert 'href="index.html@new.html"' in (folder / "shop@id=1.html").read_text("utf-8")


def test_nofollow_is_obeyed(crawl):
    routes = {
        "/robots.txt": answer(404),
        "/": answer(200, b'<meta name="robots" content="nofollow"><a href="/a">a</a>', TYPE),
        "/b": page('/c" rel="nofollow'),
    }
    with Server(routes) as site:
        _, report = crawl(f"{site.origin}/", f"{site.origin}/b")

        assert set(site.paths()) == {"/robots.txt", "/", "/b"}
    assert report["skipped_links"] == {"nofollow": 2}


def test_pages_of_a_search_index(crawl):
    """A page that says noindex is left out, and listed."""
    routes = {
        "/robots.txt": answer(404),
        "/": answer(200, b'<meta name="robots" content="noindex"><a href="/a">a</a>', TYPE),
        "/a": page(),
        "*": answer(404),
    }
    with Server(routes) as site:
        _, report = crawl(f"{site.origin}/", "--respect", "index")

    assert report["outcomes"] == {"noindex": 1, "stored": 1}


def test_links_are_checked_without_storing_pages(crawl, site, tmp_path):
    status, report = crawl(f"{site.origin}/", "--spider", "--job", "links")

    assert status == 1
    assert [(one["url"], one["source"]) for one in report["broken_links"]] == [
        (f"{site.origin}/gone", f"{site.origin}/shop/")
    ]
    assert not (tmp_path / "links" / "mirror").exists()


def test_waits_are_random_and_long_enough(crawl, site):
    crawl(f"{site.origin}/", "--random-wait", "--depth", "1", delay="0.1")
    visits = sorted(site.visits)
    waits = [later.began - earlier.ended for earlier, later in pairwise(visits)]

    assert min(waits) >= 0.1
    assert len({round(wait, 2) for wait in waits}) > 1


def test_archive_instead_of_a_mirror(crawl, site, tmp_path):
    crawl(f"{site.origin}/about", "--warc", "--depth", "0", "--job", "archive")

    assert (tmp_path / "archive" / "crawl.warc.gz").stat().st_size > 100


# Passwords ------------------------------------------------------------------------------------------


def locked(connection):
    connection.sendall(answer(401, headers={"www-authenticate": 'Basic realm="x"'}))


def test_password_comes_from_the_environment_or_netrc(crawl, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login joe password hunter2\n", "utf-8")
    netrc.chmod(0o600)
    login = {"COMITY_USER": "joe", "COMITY_PASSWORD": "hunter2"}
    expected = "Basic " + base64.b64encode(b"joe:hunter2").decode()
    with Server({"/robots.txt": answer(404), "/": page()}) as site:
        crawl(f"{site.origin}/", "--job", "one", **login)
        crawl(f"{site.origin}/", "--job", "two", NETRC=str(netrc))

        assert [head.get("authorization") for head in site.heads] == [expected] * 4


def test_command_line_takes_no_password(crawl):
    assert crawl("http://joe:hunter2@127.0.0.1:9/")[0] == 2
    assert "--password" not in {
        name for option in main.get_command(None, "crawl").params for name in option.opts
    }


def test_passwords_are_hidden(caplog, tmp_path, monkeypatch):
    """Neither the output of a command nor the log of the HTTP client has the password."""
    monkeypatch.setenv("COMITY_STORE", str(tmp_path / "store"))
    caplog.set_level(logging.DEBUG)
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"), "*": answer(200)}) as site:
        url = site.origin.replace("//", "//joe:hunter2@") + "/x"
        shown = [
            CliRunner().invoke(main, ["check", *words, url]).output
            for words in ((), ("--json",), ("--page",))
        ]
        with comity.Robot(
            "ExampleBot/1.0", contact="bot@example.com", delay=0.0, clock=FakeClock(), trust_env=False
        ) as robot:
            robot.get(url.replace("/x", "/y"))

    assert all(shown)
    assert "hunter2" not in "".join(shown) + caplog.text


def test_only_web_addresses(crawl):
    """FTP is not supported, and the message says so at once."""
    assert crawl("ftp://example.com/")[0] == 2
