"""The drop-in for robotexclusionrulesparser 1.7.1: its API. Facts were recorded from the original."""

import copy
import pickle
import time
from urllib.error import URLError

import pytest
from http_server import Server, answer, unused_port

import comity.compat.robotexclusionrulesparser as rerp

GYM, MK = rerp.GYM2008, rerp.MK1996
FILE = "User-agent: *\nDisallow: /x\nDisallow: /*.php$\nCrawl-delay: 1.5\nSitemap: https://a.example/s\nSitemap: /t\n"
BOT = "ExampleBot"


def parsed(content):
    parser = rerp.RobotExclusionRulesParser()
    parser.parse(content)
    return parser


#: Answers of robotexclusionrulesparser to FILE: URL, by GYM2008, by MK1996.
ANSWERS = [
    *[("/x", False, False), ("/y", True, True), ("/a.php", False, True), ("/*.php$", True, False)],
    *[
        ("https://a.example/x?y", False, False),
        ("mailto:x@y", True, True),
        ("x", True, True),
        ("x:/x", False, False),
    ],
    *[("", True, True), ("?x", True, True), ("/%78", False, False), ("//a.example/x", False, False)],
]


@pytest.mark.parametrize(("url", "by_gym", "by_mk"), ANSWERS)
def test_answers_are_those_of_the_original(url, by_gym, by_mk):
    parser = parsed(FILE)

    assert (parser.is_allowed(BOT, url), parser.is_allowed(BOT, url, syntax=MK)) == (by_gym, by_mk)
    assert parser.is_allowed(BOT, url, GYM) is by_gym


@pytest.mark.parametrize(("url", "allowed"), [("", True), ("?x", True), ("mailto:x", True), ("/", False)])
def test_closed_site_allows_what_has_no_path(url, allowed):
    assert parsed("User-agent: *\nDisallow: /").is_allowed(BOT, url) is allowed


#: (section, file, robot, URL, syntax, the answer of the original). Ours is the opposite.
DIFFERENCES = [
    ("RFC 9309 2.2.2: length", "User-agent: *\nDisallow: /a\nAllow: /a/b", BOT, "/a/b", GYM, False),
    ("RFC 9309 2.2.1: whole tokens", "User-agent: Example\nDisallow: /", BOT, "/", GYM, False),
    (
        "RFC 9309 2.2.1: groups merge",
        "User-agent: a\nAllow: /b\n\nUser-agent: a\nDisallow: /c",
        "a",
        "/c",
        GYM,
        True,
    ),
    ("RFC 9309 2.2: blank lines", "User-agent: *\n\nDisallow: /", BOT, "/", GYM, True),
    (
        "RFC 9309 2.2.4: other records",
        "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /",
        "a",
        "/",
        GYM,
        True,
    ),
    ("RFC 9309 2.2: fields", "User-agent: *\nnote disallow: /", BOT, "/", GYM, False),
    ("RFC 9309 2.2.2: /robots.txt", "User-agent: *\nDisallow: /", BOT, "/robots.txt", GYM, False),
    ("RFC 9309 2.2.2: escapes", "User-agent: *\nDisallow: /a=", BOT, "/a%3D", GYM, False),
    ("RFC 9309 2.2.2: an empty path is /", "User-agent: *\nDisallow: /", BOT, "https://a.example", GYM, True),
    ("RFC 9309 2.2.2: UTF-8", "User-agent: *\nDisallow: /é".encode(), BOT, "/é", GYM, True),
    ("draft 1996 3.2.1: value contains name", "User-agent: Example\nDisallow: /", BOT, "/", MK, False),
]


@pytest.mark.parametrize(("section", "content", "agent", "url", "syntax", "recorded"), DIFFERENCES)
def test_differences_are_decided_by_a_standard(section, content, agent, url, syntax, recorded):
    assert parsed(content).is_allowed(agent, url, syntax) is not recorded


#: Crawl-delays, and those of the original that can be waited for.
DELAYS = [("5", 5.0), ("1e3", 1000.0), ("abc", None), ("", None), ("-3", None), ("nan", None), ("inf", None)]


@pytest.mark.parametrize(("value", "seconds"), DELAYS)
def test_crawl_delay(value, seconds):
    assert parsed(f"User-agent: *\nDisallow: /x\nCrawl-delay: {value}").get_crawl_delay(BOT) == seconds


def test_last_valid_crawl_delay_counts_as_in_the_original():
    text = "User-agent: *\nCrawl-delay: 9\nCrawl-delay: 2\nCrawl-delay: x\nDisallow: /x"

    assert parsed(text).get_crawl_delay(BOT) == 2
    assert parsed("").get_crawl_delay(BOT) is None


def test_sitemaps_are_a_new_list_of_values():
    parser = parsed(FILE)
    parser.sitemaps.clear()

    assert parser.sitemaps == ["https://a.example/s", "/t"]
    with pytest.raises(DeprecationWarning):
        _ = parser.sitemap


def test_new_parser_allows_everything_for_seven_days():
    parser = rerp.RobotExclusionRulesParser()

    assert parser.is_allowed(BOT, "/")
    assert (parser.source_url, parser.response_code, parser.user_agent) == ("", 0, None)
    assert parser.expiration_date == pytest.approx(time.time() + 604_800, abs=600)
    assert not parser.is_expired
    parser.expiration_date = 0
    assert parser.is_expired


@pytest.mark.parametrize("content", [None, 5, ["User-agent: *"]])
def test_content_of_other_type_raises(content):
    with pytest.raises(TypeError):
        parsed(content)


@pytest.mark.parametrize(("agent", "url"), [(BOT, None), (BOT, b"/x"), (None, "/x"), (5, "/x"), (b"a", "/x")])
def test_question_of_other_type_raises(agent, url):
    with pytest.raises(AttributeError if agent in (None, 5) else TypeError):
        parsed(FILE).is_allowed(agent, url)


@pytest.mark.parametrize("url", ["http://[x]/", "http://[::1/x", "ftp://[x/"])
def test_brackets_without_an_address_raise_as_in_the_original(url):
    with pytest.raises(ValueError, match="IP"):
        parsed(FILE).is_allowed(BOT, url)


def test_unknown_syntax_raises():
    with pytest.raises(ValueError, match="syntax"):
        parsed(FILE).is_allowed(BOT, "/", syntax=3)


def test_parsing_again_replaces_the_file():
    parser = parsed("User-agent: *\nDisallow: /")
    assert not parser.is_allowed(BOT, "/", MK)
    parser.parse(bytearray(b"User-agent: *\nDisallow: /x"))

    assert parser.is_allowed(BOT, "/", MK)
    assert not parser.is_allowed(BOT, "/x")


#: The status of robots.txt, and whether the original then allows /x and /y; None if it raises URLError.
STATUSES = [
    *[
        (200, (False, True)),
        (204, (True, True)),
        (401, (False, False)),
        (403, (False, False)),
        (404, (True, True)),
    ],
    *[(410, None), (429, None), (500, None), (503, None)],
]


def test_statuses_mean_the_same_as_in_the_original():
    expires = {"expires": "Thu, 01 Jan 2099 00:00:00 GMT"}
    bodies = {status: b"" if status == 204 else b"User-agent: *\nDisallow: /x" for status, _ in STATUSES}
    with Server({f"/{status}": answer(status, body, expires) for status, body in bodies.items()}) as server:
        for status, expected in STATUSES:
            parser = rerp.RobotExclusionRulesParser()
            parser.user_agent = f"{BOT}/1.0"
            if expected is None:
                with pytest.raises(URLError, match=str(status)):
                    parser.fetch(f"{server.origin}/{status}")
            else:
                parser.fetch(f"{server.origin}/{status}", timeout=10)
                assert (parser.is_allowed(BOT, "/x"), parser.is_allowed(BOT, "/y")) == expected
            assert parser.response_code == status
            assert parser.source_url == f"{server.origin}/{status}"
            has_date = 200 <= status <= 299
            assert (parser.expiration_date == 4_070_908_800) == has_date

    assert server.heads[0]["user-agent"] == f"{BOT}/1.0"


@pytest.mark.parametrize("value", ["soon", "Thu, 01 Jan 99999 00:00:00 GMT", "Thu, 99 Foo 2020 00:00:00 GMT"])
def test_invalid_expires_means_seven_days(value):
    with Server({"/robots.txt": answer(200, b"", {"expires": value})}) as server:
        parser = rerp.RobotExclusionRulesParser()
        parser.fetch(f"{server.origin}/robots.txt")

    assert parser.expiration_date == pytest.approx(time.time() + 604_800, abs=600)


def test_declared_charset_is_decoded():
    headers = {"content-type": "text/plain; charset=iso-8859-1"}
    body = "User-agent: *\nDisallow: /é".encode("latin-1")
    with Server({"/robots.txt": answer(200, body, headers)}) as server:
        parser = rerp.RobotExclusionRulesParser()
        parser.fetch(f"{server.origin}/robots.txt")

    assert not parser.is_allowed(BOT, "/%C3%A9")


def test_failed_requests_raise():
    parser = rerp.RobotExclusionRulesParser()
    with pytest.raises(URLError):
        parser.fetch(f"http://127.0.0.1:{unused_port()}/robots.txt")
    assert parser.response_code == 0
    with pytest.raises(ValueError, match="unknown url type"):
        parser.fetch("robots.txt")


def test_slow_body_ends_at_the_timeout():
    parser = rerp.RobotExclusionRulesParser()
    with Server() as server:
        server.routes["/robots.txt"] = server.drips(b"User-agent: *\n", seconds=0.02)
        with pytest.raises(URLError):
            parser.fetch(f"{server.origin}/robots.txt", timeout=0.2)


def test_lookalike_has_names_of_urllib():
    with Server({"/robots.txt": answer(200, FILE.encode())}) as server:
        parser = rerp.RobotFileParserLookalike(f"{server.origin}/robots.txt")
        parser.read()
    assert not parser.can_fetch(BOT, "/a.php")
    assert parser.can_fetch(BOT, "/a.php", MK)
    assert parser.mtime() is None
    parser.modified()
    assert parser.mtime() == parser.last_checked <= time.time()


@pytest.mark.parametrize(
    "lines",
    [FILE, FILE.splitlines(), FILE.splitlines(keepends=True), FILE.replace("\n", "\r\n").splitlines(True)],
)
def test_lookalike_parses_lines(lines):
    parser = rerp.RobotFileParserLookalike()
    parser.parse(lines)

    assert not parser.can_fetch(BOT, "/x")
    assert not parser.can_fetch(BOT, "/x", MK)
    with pytest.raises(TypeError):
        parser.parse([b"User-agent: *"])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_give_same_answers(copied):
    assert not copied(parsed(FILE)).is_allowed(BOT, "/x")


def test_text_lists_sitemaps_and_groups():
    assert str(parsed("Sitemap: /t\nuser-agent: a\ncrawl-delay: 2\ndisallow: /x")) == (
        "Sitemaps: ['/t']\n\nUser-agent: a\nDisallow: /x\nCrawl-delay: 2\n\n"
    )


def test_limits_can_be_set_as_in_the_original(monkeypatch):
    monkeypatch.setattr(rerp, "MAX_FILESIZE", 28)
    monkeypatch.setattr(rerp, "SEVEN_DAYS", 60)
    with Server({"/robots.txt": answer(body=b"User-agent: *\nDisallow: /a\nDisallow: /b\n")}) as server:
        parser = rerp.RobotExclusionRulesParser()
        parser.fetch(f"{server.origin}/robots.txt")

    assert [parser.is_allowed(BOT, path) for path in ("/a", "/b")] == [False, True]
    assert parser.expiration_date <= time.time() + 60
