"""The drop-in for robotspy 0.13: its API, with answers by RFC 9309. Facts were recorded from the original."""

import copy
import pickle
import time

import pytest
from http_server import Server, answer, redirect, unused_port

from comity.compat import robotspy as robots

FILE = "User-agent: *\nDisallow: /x\nDisallow: /a b\nSitemap: https://example.com/s.xml\nSitemap: /relative.xml\n"
BOT = "ExampleBot"


def parsed(text):
    return robots.RobotsParser.from_string(text)


#: Answers of robotspy to FILE.
ANSWERS = [
    *[("/x", False), ("/y", True), ("https://example.com/x?y", False), ("//example.com/x", False)],
    *[
        ("", True),
        ("mailto:x@example.com", True),
        ("x/y", True),
        ("x:/x", False),
        ("HTTPS://example.com/x", False),
    ],
]


@pytest.mark.parametrize(("url", "allowed"), ANSWERS)
def test_answers_are_those_of_robotspy(url, allowed):
    assert parsed(FILE).can_fetch(BOT, url) is allowed


#: (section, file, robot, URL, the answer of robotspy). Ours is the opposite.
DIFFERENCES = [
    ("RFC 9309 2.2.1: a header has a token", f"User-agent: {BOT}\nDisallow: /", f"{BOT}/1.0", "/", True),
    ("RFC 9309 2.2.1: MJ12bot is a name", "User-agent: MJ12bot\nDisallow: /", "MJ12bot", "/", True),
    ("RFC 9309 2.2: line ends", "User-agent: *\rDisallow: /", BOT, "/", True),
    ("RFC 9309 2.2.2: /robots.txt", "User-agent: *\nDisallow: /", BOT, "/robots.txt", False),
    ("RFC 9309 2.2.2: octets", "User-agent: *\nDisallow: /a", BOT, "//h//a", False),
    ("RFC 9309 2.2.2: escapes", "User-agent: *\nDisallow: /a/b", BOT, "/a%2Fb", False),
    ("RFC 9309 2.2.3: [ has no meaning", "User-agent: *\nDisallow: /*[b]", BOT, "/ab", False),
    ("RFC 9309 2.2.2: a URL without path is /", "User-agent: *\nDisallow: /", BOT, "https://h?q", True),
]


@pytest.mark.parametrize(("section", "text", "agent", "url", "recorded"), DIFFERENCES)
def test_differences_are_decided_by_a_standard(section, text, agent, url, recorded):
    assert parsed(text).can_fetch(agent, url) is not recorded


def test_urls_of_another_host_are_disallowed():
    parser = robots.RobotFileParser("https://one.example/robots.txt")
    parser.parse(FILE.splitlines())

    assert (parser.host, parser.path) == ("one.example", "/robots.txt")
    assert parser.can_fetch(BOT, "https://one.example/y")
    assert parser.can_fetch(BOT, "/y")
    assert not parser.can_fetch(BOT, "https://two.example/y")


def test_flags_decide_before_rules():
    parser = parsed(FILE)
    parser.disallow_all = True
    assert not parser.can_fetch(BOT, "/y")
    parser.allow_all = True
    assert parser.can_fetch(BOT, "/x")


def test_sitemaps_are_a_list_or_none():
    assert parsed(FILE).sitemaps == ["https://example.com/s.xml"]
    assert parsed("").sitemaps is None


def test_rules_of_a_robot_are_those_of_robotspy():
    parser = parsed(
        f"User-agent: {BOT}\nAllow: /x\nDisallow: /xyz\nDisallow: /x\nDisallow:\nUser-agent: *\nAllow: /"
    )

    assert parser.find_rules(BOT) == [("/xyz", False), ("/x", True), ("/x", False)]
    assert parser.find_rules("other")[0].path == "/"
    assert parsed("").find_rules(BOT) == []


@pytest.mark.parametrize(
    ("path", "pattern", "matches"),
    [
        ("/a/b.html?c", "/a/*.html", True),
        ("/a/b.html?c", "/a/*.html$", False),
        ("/a", "/*/", False),
        ("/?", "/?", True),
    ],
)
def test_pattern_matches_as_in_robotspy(path, pattern, matches):
    assert robots.RobotsParser.startswith_pattern(path, pattern) is matches


def test_constants_of_robotspy_are_there():
    assert robots.__version__ == "0.13.0"
    assert "x y" in robots.RobotsParser.AGENT_NOT_VALID % "x y"
    assert "x y" in robots.RobotsParser.UNEXPECTED_LINE % "x y"


def test_warnings_have_a_place_and_a_text():
    parser = parsed("Disallow: /q\nUser-agent: *\nDisallow: /\nfoo: bar\n")

    assert parser.errors == []
    assert [place for place, _ in parser.warnings] == ["line 1", "line 4"]
    assert all(isinstance(text, str) and text for _, text in parser.warnings)
    assert parser.warnings is parser.warnings


@pytest.mark.parametrize(
    ("content", "error"), [(None, AttributeError), (5, AttributeError), (b"User-agent: *", TypeError)]
)
def test_text_of_other_type_raises_what_the_original_raises(content, error):
    with pytest.raises(error):
        robots.RobotsParser.from_string(content)


@pytest.mark.parametrize(("agent", "url"), [(BOT, None), (BOT, 5), (BOT, b"/x"), (None, "/x"), (5, "/x")])
def test_question_of_other_type_raises(agent, url):
    with pytest.raises(TypeError if agent == BOT else AttributeError):
        parsed(FILE).can_fetch(agent, url)


@pytest.mark.parametrize(("url", "allowed"), [("", False), ("?x", True), ("mailto:x", True)])
def test_closed_site_disallows_an_empty_url(url, allowed):
    assert parsed("User-agent: *\nDisallow: /").can_fetch(BOT, url) is allowed


@pytest.mark.parametrize("url", ["x://[bad", "HTTP://[::1", "http://[x]/", "http://[::1/x"])
def test_brackets_without_address_raise_as_in_robotspy(url):
    with pytest.raises(ValueError, match="IP"):
        parsed(FILE).can_fetch(BOT, url)


def test_file(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /x")

    assert not robots.RobotsParser.from_file(str(path)).can_fetch(BOT, "/x")
    assert not robots.RobotsParser.from_uri(path.as_uri()).can_fetch(BOT, "/x")
    missing = robots.RobotsParser.from_file(str(tmp_path / "none"))
    assert [place for place, _ in missing.errors] == [str(tmp_path / "none")]
    assert missing.can_fetch(BOT, "/")
    with pytest.raises(OSError, match=r"."):
        robots.RobotsParser.from_file(str(tmp_path))


#: The status of robots.txt, what robotspy then allows, and whether it keeps the time of the request.
STATUSES = [
    *[
        (200, False, False, True),
        (401, False, True, False),
        (403, False, True, False),
        (404, True, False, False),
    ],
    *[(429, True, False, False), (500, False, True, False), (503, False, True, False)],
]


def test_statuses_mean_the_same_as_in_robotspy():
    with Server({f"/{status}": answer(status, FILE.encode()) for status, *_ in STATUSES}) as server:
        server.routes["/moved"] = redirect("/200")
        for status, allow_all, disallow_all, has_time in STATUSES:
            parser = robots.RobotsParser.from_uri(f"{server.origin}/{status}")
            found = (status, parser.allow_all, parser.disallow_all, bool(parser.timestamp))
            assert found == (status, allow_all, disallow_all, has_time)
            messages = parser.errors if status in (401, 403) else parser.warnings
            assert (status == 200) == (not any(place == str(status) for place, _ in messages))
        moved = robots.RobotsParser.from_uri(f"{server.origin}/moved")

    assert not moved.can_fetch(BOT, "/x")
    assert server.heads[0]["user-agent"].startswith("Comity")


def test_failed_requests_disallow_everything():
    parser = robots.RobotsParser.from_uri(f"http://127.0.0.1:{unused_port()}/robots.txt")

    assert parser.disallow_all
    assert len(parser.errors) == 1
    with pytest.raises(ValueError, match="unknown url type"):
        robots.RobotsParser.from_uri("robots.txt")


def test_slow_body_ends_at_the_timeout():
    with Server() as server:
        server.routes["/robots.txt"] = server.drips(b"User-agent: *\n", seconds=0.02)
        parser = robots.RobotsParser.from_uri(f"{server.origin}/robots.txt", timeout=0.2)

    assert parser.disallow_all


def test_body_is_read_up_to_a_limit():
    with Server() as server:
        server.routes["/robots.txt"] = server.endless(b"User-agent: *\nDisallow: /x\n" * 1000)
        parser = robots.RobotsParser.from_uri(f"{server.origin}/robots.txt", timeout=60)

    assert not parser.can_fetch(BOT, "/x")


def test_file_parser_reads_its_url():
    with Server({"/robots.txt": answer(200, FILE.encode())}) as server:
        parser = robots.RobotFileParser()
        parser.set_url(f"{server.origin}/robots.txt")
        parser.read()

        assert parser.site_maps() == ["https://example.com/s.xml"]
        assert not parser.can_fetch(BOT, f"{server.origin}/x")
        assert 0 < parser.mtime() <= time.time()


def test_file_parser_without_url_reports_it():
    parser = robots.RobotFileParser()
    parser.read()

    assert [place for place, _ in parser.errors] == [""]
    assert parser.mtime() == 0
    parser.modified()
    assert parser.mtime() > 0


def test_rates_are_none_and_a_warning_as_in_robotspy():
    parser = robots.RobotFileParser()
    parser.parse(["User-agent: *", "Disallow: /x", "Crawl-delay: 2", "Request-rate: 1/5"])

    assert parser.crawl_delay(BOT) is None
    assert parser.request_rate(BOT) is None
    assert [place for place, _ in parser.warnings] == ["crawl-delay", "request-rate"]


def test_subclass_sets_url_first_and_overrides_read_and_parse():
    """The way of fundus 0.5.7."""

    class Own(robots.RobotFileParser):
        def __init__(self, url, headers=None):
            self.headers = headers
            self.url = url
            super().__init__(url)

        def read(self):
            self.parse(["# no training", *FILE.splitlines()])

        def parse(self, lines):
            self.has_comment = any(line.startswith("#") for line in lines)
            super().parse(lines)

    parser = Own("https://example.com/robots.txt", {"user-agent": BOT})
    parser.read()

    assert parser.has_comment
    assert not parser.can_fetch(BOT, "https://example.com/x")
    parser.allow_all = True
    assert parser.can_fetch(BOT, "https://example.com/x")
    assert isinstance(Own("https://example.com/robots.txt"), robots.RobotsParser)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_give_same_answers(copied):
    parser = copied(parsed(FILE))

    assert not parser.can_fetch(BOT, "/x")
    assert parser.timestamp == 0


def test_text_can_be_parsed_again():
    again = parsed(str(parsed(FILE)))

    assert str(again) == str(parsed(FILE))
    assert not again.can_fetch(BOT, "/x")
    assert again.sitemaps == ["https://example.com/s.xml"]
