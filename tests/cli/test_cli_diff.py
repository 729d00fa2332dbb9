"""`comity diff`, run as a user runs it."""

import gzip
import json

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer, redirect

from comity.cli import main

OLD = b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /search\n"
NEW = b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /search\nDisallow: /*?sort=\n"
SAME = b"User-agent: Googlebot\nDisallow: /search*\nAllow: /\n\nUser-agent: *\nDisallow: /private/*\n"

URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
{}
</urlset>"""
INDEX = """<?xml version="1.0"?>
<s:sitemapindex xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">{}</s:sitemapindex>"""


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["diff", *arguments], **options)


def urlset(*urls):
    image = "<image:image><image:loc>https://example.com/i?sort=1</image:loc></image:image>"
    entries = [f"<url>\n <loc> {url} </loc>{image}<priority>0.5</priority></url>" for url in urls]
    return URLSET.format("\n".join(entries)).encode()


def index(*urls):
    return INDEX.format("".join(f"<s:sitemap><s:loc>{url}</s:loc></s:sitemap>" for url in urls)).encode()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, body in (("old.txt", OLD), ("new.txt", NEW), ("same.txt", SAME)):
        (tmp_path / name).write_bytes(body)
    return tmp_path


def counted(result):
    (change,) = json.loads(result.stdout)["changes"]
    return change["urls_closed"], change["urls_opened"]


def googlebot(*urls, **options):
    sources = [argument for url in urls for argument in ("--urls", url)]
    return comity("old.txt", "new.txt", "--agent", "Googlebot", "--json", *sources, **options)


def test_equivalent_files_are_0(files):
    result = comity("old.txt", "same.txt")

    assert result.exit_code == 0
    assert result.stdout == "nothing changes for any other robot, Googlebot\n"


def test_change_is_1(files):
    result = comity("old.txt", "new.txt")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "Googlebot, as Google reads it",
        "  closes /*?sort=, except /search (closed already)",
        "    such as /?sort=",
        "    before: no rule; now: line 6, Disallow: /*?sort=",
        "",
        "nothing changes for any other robot",
    ]


def test_robots_are_chosen(files):
    result = comity(
        "old.txt", "new.txt", "--agent", "Bingbot", "--agent", "*", "--agent", "Mozilla/5.0 (X, Y; ABot/1)"
    )

    assert result.exit_code == 0
    assert result.stdout == "nothing changes for Bingbot, any other robot, Mozilla/5.0 (X, Y; ABot/1)\n"
    assert comity("old.txt", "new.txt", "--agent", "A,,B").exit_code == 2


def test_json(files):
    result = comity("old.txt", "new.txt", "--json")
    record = json.loads(result.stdout)

    assert result.exit_code == 1
    assert (record["changed"], record["exact"], record["dialect"]) == (True, True, None)
    assert [change["agents"] for change in record["changes"]] == [["*"], ["Googlebot"]]
    assert [change["dialects"] for change in record["changes"]] == [["rfc9309", "google"], ["google"]]
    assert record["changes"][1]["closed"] == [
        {
            "closes": True,
            "patterns": ["/*?sort="],
            "exceptions": ["/search"],
            "unlisted_exceptions": 0,
            "old": None,
            "new": {"line": 6, "rule": "Disallow: /*?sort="},
            "witness": "/?sort=",
        }
    ]


def test_dialect(files):
    assert comity("old.txt", "same.txt", "--dialect", "1994").exit_code == 1


def test_doubt_is_shown(files):
    old, new = (
        b"User-agent: ab\nDisallow: /a\n\nUser-agent: bc\nDisallow: /b\n",
        b"User-agent: bc\nDisallow: /b\n\nUser-agent: ab\nDisallow: /a\n",
    )
    (files / "old.txt").write_bytes(old)
    result = comity("old.txt", "-", "--dialect", "draft1996", input=new)

    assert result.exit_code == 1
    assert result.stdout.startswith(
        "not exact: robots that match several groups, and obey the first, were not compared"
    )


def test_changed_fields_are_1(files):
    (files / "new.txt").write_bytes(OLD + b"Content-Signal: ai-train=no\nSitemap: https://a.example/s.xml\n")
    result = comity("old.txt", "new.txt")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "Googlebot, as Google reads it",
        "  Content-Signal is added: line 6 `ai-train=no`",
        "",
        "the whole file",
        "  Sitemap is added: line 7 `https://a.example/s.xml`",
        "",
        "nothing changes for any other robot",
    ]


def test_headline_comes_first(files):
    (files / "new.txt").write_bytes(OLD.replace(b"/private/", b"/public/").replace(b"/search", b"/"))
    result = comity("old.txt", "new.txt")

    assert result.stdout.splitlines()[0] == "closes the whole site to Googlebot, as Google reads it"


OTHER_FILES = [
    (b"<!DOCTYPE html><title>Not found</title>", "standard input: a web page or JSON, not a robots.txt"),
    (b"\xef\xbb\xbf\n <div>Not found</div>", "standard input: a web page or JSON, not a robots.txt"),
    (b'{"error": 404}', "standard input: a web page or JSON, not a robots.txt"),
    ("User-agent: *\nDisallow: /".encode("utf-16"), "standard input: UTF-16, not a robots.txt"),
]


@pytest.mark.parametrize(("body", "message"), OTHER_FILES)
def test_other_kinds_of_files_are_2(files, body, message):
    result = comity("old.txt", "-", input=body)

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_web_page_of_a_site_is_2(files):
    with Server({"/robots.txt": answer(200, b"<html><title>Welcome</title></html>")}) as server:
        result = comity(server.origin, "new.txt")

    assert result.exit_code == 2
    assert "/robots.txt: a web page or JSON, not a robots.txt" in result.stderr


def test_web_page_with_rules_is_compared(files):
    result = comity("old.txt", "-", input=b"<pre>\n" + OLD)

    assert result.exit_code == 0
    assert (
        result.stderr
        == "Note: standard input: a web page or JSON; only the lines that robots read as rules are compared\n"
    )


def test_lines_fit_the_terminal(files):
    names = "".join(f"User-agent: A{chr(97 + at // 26)}{chr(97 + at % 26)}\n" for at in range(100))
    path = "/" + "long" * 100
    (files / "old.txt").write_bytes(f"{names}Disallow: /x\n\nUser-agent: *\nDisallow:".encode())
    (files / "new.txt").write_bytes(
        f"{names}Disallow: /x\n\nUser-agent: *\nDisallow: /{path}\nAllow: {path}".encode()
    )
    result = comity("old.txt", "new.txt")

    assert max(map(len, result.stdout.splitlines())) < 80
    assert result.stdout.endswith("Aag, Aah and 92 more\n")
    assert "closes //long" in result.stdout


def test_urls_that_change_are_shown(files):
    urls = "".join(f"https://example.com/{at}?sort=1\n" for at in range(2000))
    result = comity("old.txt", "new.txt", "--urls", "-", input=urls)
    record = json.loads(comity("old.txt", "new.txt", "--json", "--urls", "-", input=urls).stdout)["changes"][
        1
    ]

    assert "  closes 2,000 of 2,000 URLs to Googlebot, as Google reads it, opens 0\n" in result.stdout
    assert "  closes, for example, https://example.com/0?sort=1, " in result.stdout
    assert (record["urls_closed"], len(record["examples_closed"])) == (2000, 1000)


def test_standard_input(files):
    assert comity("-", "new.txt", input=NEW).exit_code == 0
    assert comity("-", "-", input=NEW).exit_code == 2


def test_missing_file_is_2(files):
    result = comity("old.txt", "none.txt")

    assert result.exit_code == 2
    assert result.stderr == "Error: none.txt: cannot be read: No such file or directory\n"


def test_control_characters_are_escaped(files):
    (files / "new.txt").write_bytes(
        b"User-agent: *\nDisallow: /\x1b[31m\xe9\nUser-agent: \x1b[2J\nDisallow: /"
    )
    result = comity("old.txt", "new.txt")

    assert "\x1b" not in result.stdout
    assert "\\x1b[31m\\xe9" in result.stdout


def test_json_has_sets_that_the_text_omits(files):
    (files / "new.txt").write_bytes(
        ("User-agent: *\n" + "".join(f"Disallow: /{at}$\n" for at in range(150))).encode()
    )
    result = comity("old.txt", "new.txt", "--agent", "A")

    assert result.stdout.splitlines()[-2:] == ["  and 131 more sets of paths", ""]
    record = json.loads(comity("old.txt", "new.txt", "--agent", "A", "--json").stdout)
    assert len(record["changes"][0]["closed"]) == 150


def test_urls_are_counted(files):
    lines = "/a?sort=1\n\nhttps://example.com/b?sort=2\r\n/c\nmailto:x\n/search?sort=3"
    result = comity("old.txt", "new.txt", "--urls", "-", input="\ufeff" + lines)

    assert "closes 2 of 4 URLs to Googlebot, as Google reads it, opens 0" in result.stdout
    assert result.stderr == "Note: 1 of 5 lines of --urls skipped: not a valid URL\n"


@pytest.mark.parametrize("packed", [False, True])
def test_sitemaps_are_counted(files, packed):
    body = urlset("https://example.com/a?sort=1&amp;x=2", "https://example.com/b", "/c?sort=<![CDATA[1]]>")
    (files / "sitemap.xml").write_bytes(gzip.compress(body) if packed else body)

    assert counted(googlebot("sitemap.xml")) == (2, 0)
    result = comity("old.txt", "new.txt", "--urls", "sitemap.xml")
    assert "  closes 2 of 3 sitemap URLs to Googlebot, as Google reads it, opens 0\n" in result.stdout


def test_index_of_files(files):
    (files / "maps").mkdir()
    (files / "a.xml.gz").write_bytes(gzip.compress(urlset("/a?sort=1")) + gzip.compress(b"\n"))
    (files / "maps" / "b.xml").write_bytes(urlset("/b?sort=1", "/b?sort=2").decode().encode("utf-16"))
    (files / "index.xml").write_bytes(index("a.xml.gz", "/maps/b.xml"))

    # UTF-16 that is declared as UTF-8 is an error.
    assert googlebot("index.xml").exit_code == 2
    (files / "maps" / "b.xml").write_bytes(urlset("/b?sort=1", "/b?sort=2"))
    assert counted(googlebot("index.xml")) == (3, 0)


BILLION = (
    b'<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
)

REFUSED = [
    ("entities", {"s.xml": BILLION}, "declares a document type"),
    ("another file", {"s.xml": b'<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset/>'}, "declares a document type"),
    ("no XML", {"s.xml": b"<urlset><p>no"}, "s.xml: not well-formed XML"),
    ("a page", {"s.xml": b"<html><p>no</p></html>"}, "s.xml: a web page, not a list of URLs"),
    ("a feed without items", {"s.xml": b"<rss><url><loc>/a</loc></url></rss>"}, "s.xml: no URL found"),
    ("no entry", {"s.xml": b"<urlset/>"}, "s.xml: no URL found"),
    ("nothing", {"s.xml": b""}, "s.xml: no URL found"),
    ("words", {"s.xml": b"foo\nbar\nexample.com/a\n"}, "s.xml: no URL found"),
    ("an index in an index", {"s.xml": index("t.xml"), "t.xml": index("s.xml")}, "an index within an index"),
    ("a file elsewhere", {"s.xml": index("../../etc/passwd")}, "is not a file in its folder"),
    ("a file that is not there", {"s.xml": index("t.xml")}, "No such file"),
    ("half a file", {"s.xml": gzip.compress(urlset("/a"))[:-12]}, "the gzip data is incomplete"),
    ("broken", {"s.xml": b"\x1f\x8b\x08\x00" + b"x" * 50}, "invalid gzip data"),
    ("a bomb", {"s.xml": gzip.compress(b"<urlset>" + b" " * 60_000_000)}, "more than 52,428,800 bytes"),
    ("too many", {"s.xml": index(*["t.xml"] * 1001)}, "more than 1,000 sitemaps"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "bodies", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_invalid_sitemaps_are_2(files, what, bodies, message):
    for name, body in bodies.items():
        (files / name).write_bytes(body)
    result = googlebot("s.xml")

    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_large_sitemap(files):
    urls = [f"https://example.com/{at}/{'x' * 60}{'?sort=a' if at % 2 else ''}" for at in range(50_000)]
    (files / "sitemap.xml.gz").write_bytes(gzip.compress(urlset(*urls), 1))

    assert counted(googlebot("sitemap.xml.gz")) == (25_000, 0)


def test_site(files):
    with Server({"/robots.txt": answer(200, OLD)}) as server:
        result = comity(f"{server.origin}/any/page", "new.txt")
        assert server.paths() == ["/robots.txt"]

    assert result.exit_code == 1
    assert "closes /*?sort=" in result.stdout


def test_site_without_robots_txt_closes_nothing(files):
    with Server({"/robots.txt": answer(404)}) as server:
        result = comity(server.origin, "old.txt", "--agent", "Googlebot")

    assert result.exit_code == 1
    assert "closes /search\n    before: no rule; now: line 5, Disallow: /search" in result.stdout
    assert result.stderr.startswith("Note: ")


def test_unreachable_site_is_3(files):
    with Server({"/robots.txt": answer(503)}) as server:
        result = comity(server.origin, "new.txt")

    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) == 1
    assert comity("foo://example.com/", "new.txt").exit_code == 2
    assert comity("http://", "new.txt").exit_code == 2


def test_sitemap_of_a_site_is_fetched_politely(files, monkeypatch):
    own_home(files, monkeypatch)
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /closed")}) as server:
        server.routes["/s.xml"] = redirect("/moved.xml")
        server.routes["/moved.xml"] = answer(200, gzip.compress(urlset("/a?sort=1", "/b")))
        server.routes["/closed.xml"] = answer(200, urlset("/a"))
        found = googlebot(f"{server.origin}/s.xml")
        closed = googlebot(f"{server.origin}/closed.xml")
        missing = googlebot(f"{server.origin}/none.xml")
        asked = server.paths()

    assert counted(found) == (1, 0)
    assert closed.exit_code == missing.exit_code == 3
    assert "Disallow: /closed" in closed.stderr
    assert "/closed.xml" not in asked
