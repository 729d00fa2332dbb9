"""Groups, fields of the whole file, and values as Python values."""

import inspect
import pickle
import warnings
from pathlib import Path

import pytest

import comity
from comity.protocol.access.access_from_text import access_from_text
from comity.protocol.robotstxt.engine.dialect import DIALECTS
from comity.protocol.robotstxt.engine.grammar import GROUP_FIELDS
from comity.protocol.robotstxt.engine.reference import FileAnswers, RankedRules
from comity.site import unreachable_rules

FILE = """\
# for robots
User-agent: a
User-agent: B/2
Disallow: /x
Allow: /x/é
Crawl-delay: 3
Content-Signal: search=yes
Sitemap: https://example.com/1.xml

User-agent: *
Content-Usage: /p train-ai=n
Robot-version: 2.0
Comment: Hello, robot
Noindex: /n
Disallow:
sitemap: https://example.com/2.xml
Host: not a host
Host: www.example.com
Host: other.example.com
Clean-param: ref /book
"""


@pytest.fixture
def robots():
    return comity.parse(FILE)


def test_groups(robots):
    first, second = robots.groups

    assert first.agents == ("a", "B/2")
    assert first.rules == (comity.Rule(False, "/x", 4), comity.Rule(True, "/x/é", 5))
    assert (first.line, first.end_line) == (2, 7)
    assert [field.name for field in first.fields] == ["crawl-delay", "content-signal"]
    assert second.agents == ("*",)
    assert second.fields[0] == comity.protocol.robotstxt.Field("content-usage", "/p train-ai=n", 11)


def test_fields_of_the_whole_file(robots):
    assert robots.sitemaps == ("https://example.com/1.xml", "https://example.com/2.xml")
    assert robots.host == "www.example.com"
    assert robots.clean_params == (comity.protocol.robotstxt.CleanParam(("ref",), "/book", 20),)
    assert [(field.name, field.line) for field in robots.fields][:2] == [("sitemap", 8), ("sitemap", 16)]


def test_fields_for_one_robot(robots):
    assert robots.rules_for("a").content_signals.lines == (
        comity.protocol.robotstxt.Field("content-signal", "search=yes", 7),
    )
    assert not robots.rules_for("c").content_signals
    assert robots.rules_for("c").content_usage == ("/p train-ai=n",)
    assert {field.name: field.value for field in robots.rules_for("c").fields} == {
        "content-usage": "/p train-ai=n",
        "robot-version": "2.0",
        "comment": "Hello, robot",
        "noindex": "/n",
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_field_ends_a_run_of_names(dialect):
    """RFC 9309 2.2.4: parsing of other records MUST NOT interfere with groups."""
    for name in GROUP_FIELDS:
        text = f"User-agent: a\n{name}: train-ai=n\nUser-agent: b\nDisallow: /x"
        robots = comity.parse(text, dialect=dialect)

        assert not robots.allowed("/x", agent="a"), name  # without groups
        assert not robots.rules_for("a").allowed("/x"), name
        assert [group.agents for group in robots.groups] == [("a", "b")]


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("https://example.com/s.xml", True),
        ("http://other.example/s.xml#x", True),
        ("ftp://example.com/s.xml", True),
        ("/s.xml", False),
        ("s.xml", False),
        ("", False),
        ("https://", False),
    ],
)
def test_sitemaps_are_absolute(value, valid):
    found = comity.parse(f"Sitemap: {value}").sitemaps

    assert found == ((value.partition("#")[0],) if valid else ())


def test_sitemaps_are_unique_without_group_or_colon():
    text = "Sitemap https://example.com/s.xml\nSite-map: https://example.com/s.xml\nSITEMAP: https://example.com/t.xml"

    assert comity.parse(text).sitemaps == ("https://example.com/s.xml", "https://example.com/t.xml")


@pytest.mark.parametrize(
    ("rule", "url", "expected"),
    [
        (
            "ref /some_dir/get_book.pl",
            "/some_dir/get_book.pl?ref=site_1&book_id=123",
            "/some_dir/get_book.pl?book_id=123",
        ),
        ("ref /some_dir/get_book.pl", "/other?ref=1&b=2", "/other?ref=1&b=2"),
        (
            "s&ref /forum*/showthread.php",
            "/forum_new/showthread.php?s=1&t=2&ref=3",
            "/forum_new/showthread.php?t=2",
        ),
        ("sid", "/a?sid=1", "/a"),
        ("sid", "/a?SID=1", "/a?SID=1"),
        ("sid", "https://example.com/a?x=1&sid=2#top", "https://example.com/a?x=1#top"),
        ("sid", "https://example.com?sid=2", "https://example.com"),
        ("sid", "/a?", "/a?"),
        ("sid", "/a?asid=1&sid", "/a?asid=1"),
        ("sid *.php", "/x/y.php?sid=1", "/x/y.php"),
        ("/bad sid", "/a?sid=1", "/a?sid=1"),
        ("sid bad", "/a?sid=1", "/a?sid=1"),
    ],
)
def test_clean_param(rule, url, expected):
    assert comity.parse(f"Clean-param: {rule}").clean(url) == expected


def test_clean_params_apply_in_order():
    robots = comity.parse("Clean-param: a\nUser-agent: *\nClean-param: b /x")

    assert robots.clean("/x?a=1&b=2&c=3") == "/x?c=3"
    assert robots.clean("/y?a=1&b=2&c=3") == "/y?b=2&c=3"


def test_acap_is_separate_from_groups():
    acap = comity.parse(
        "##ACAP version=1.1\nUser-agent: *\nDisallow: /a\nACAP-crawler: x\nACAP-crawler: *\nACAP-disallow-crawl: /b\n"
        "ACAP-qualified-usage: long preserve time-period=permanently\nACAP-crawler: y\nACAP-allow-crawl: /\n"
    )

    assert acap.acap.version == "1.1"
    assert [(group.crawlers, len(group.fields), group.line) for group in acap.acap.groups] == [
        (("x", "*"), 2, 4),
        (("y",), 1, 8),
    ]
    assert acap.acap.groups[0].fields[0] == comity.protocol.robotstxt.Field("acap-disallow-crawl", "/b", 6)
    assert acap.allowed("/b", agent="x")


def test_non_utf8_bytes_are_preserved():
    robots = comity.parse(b"User-agent: *\nDisallow: /caf\xe9")

    assert robots.groups[0].rules[0].pattern == "/caf\udce9"
    assert not robots.allowed("/caf%E9", agent="x")
    assert robots.allowed("/caf%E8", agent="x")


def test_text_with_lone_surrogates_is_parsed():
    robots = comity.parse("User-agent: *\nDisallow: /\udce9\nDisallow: /\ud800")

    assert not robots.allowed("/%E9", agent="x")
    assert not robots.allowed("/%ED%A0%80", agent="x")
    assert not robots.allowed("/\ud800", agent="x")


def test_urls_may_be_bytes():
    robots = comity.parse("User-agent: *\nDisallow: /é")

    assert not robots.allowed("/é".encode(), agent="x")
    assert not robots.check(b"https://example.com/%c3%a9", agent="x")


def test_subclasses_of_text_and_bytes_are_read_as_they_are():
    class LyingBytes(bytes):
        def __len__(self):
            return 1

        def __bytes__(self):
            return b"no"

    class LyingText(str):
        __slots__ = ()

        def encode(self, *_, **__):
            return b"no"

    body = "User-agent: *\nDisallow: /a"
    for given in (LyingBytes(body.encode()), LyingText(body)):
        read = comity.parse(given)
        assert type(read.body) is bytes
        assert read == comity.parse(body)
        assert not read.allowed(type(given)(given[-2:]), agent="x")
        assert not comity.usage("https://example.com/a", agent="x", robots=given).verdict.allowed


def test_body_may_be_memoryview():
    assert not comity.parse(memoryview(b"User-agent: *\nDisallow: /")).allowed("/", agent="x")


@pytest.mark.parametrize("protocol", range(5))
def test_every_pickle_protocol(robots, protocol):
    rules = robots.rules_for("a")

    assert pickle.loads(pickle.dumps(rules, protocol)) == rules
    assert pickle.loads(pickle.dumps(robots, protocol)) == robots


def test_wrong_types_raise_type_error_with_own_message(robots):
    with pytest.raises(TypeError, match="a URL is str or bytes, not NoneType"):
        robots.check(None, agent="a")
    with pytest.raises(TypeError, match="a URL is str or bytes, not int|'int'"):
        robots.allowed(3, agent="a")
    with pytest.raises(TypeError, match="agent: expected a str or a sequence of str"):
        robots.allowed("/", agent=None)
    with pytest.raises(TypeError, match="urls: expected one text or several, not int"):
        robots.rules_for("a").allowed_many(3)
    with pytest.raises(TypeError, match="agent: expected a str or a sequence of str"):
        robots.allowed("/", agent=(1,))
    with pytest.raises(TypeError, match="agent: expected a str or a sequence of str, or an Agent, not 3"):
        robots.allowed("/", agent=3)
    with pytest.raises(
        TypeError, match="robots: expected a robots.txt, its parsed file, Rules or an Access, not int"
    ):
        comity.usage("https://example.com/", agent="a", robots=3)
    with pytest.raises(TypeError, match="expected bytes or str, got int"):
        comity.page_directives(html=3, agent="a")


def test_body_of_other_type_raises():
    with pytest.raises(TypeError, match="bytes or str, got list"):
        comity.parse(["User-agent: *"])


def test_equality_and_repr(robots):
    assert robots == comity.parse(FILE)
    assert robots != comity.parse(FILE, dialect="google")
    assert robots != FILE
    assert repr(robots) == "<RobotsTxt: 2 groups, 3 rules, rfc9309>"
    assert repr(robots.rules_for("a")) == "<Rules for 'a': 2 rules of group 'a', rfc9309>"
    assert robots.rules_for("a") == comity.parse(FILE).rules_for("a") != robots.rules_for("c")


def test_values_are_immutable_and_repr_is_valid_code(robots):
    rule = robots.groups[0].rules[0]

    assert eval(repr(rule), {"Rule": comity.Rule}) == rule
    with pytest.raises(AttributeError, match="Rule is frozen"):
        rule.line = 3
    with pytest.raises(AttributeError, match="Rule is frozen"):
        del rule.line
    with pytest.raises(TypeError, match="Rule.*'pattern' and 'line'"):
        comity.Rule(True)
    with pytest.raises(TypeError, match="Rule.*'lines'"):
        comity.Rule(True, "/", 1, lines=2)
    match rule:
        case comity.Rule(allow, pattern, line):
            assert (allow, pattern, line) == (False, "/x", 4)


@pytest.mark.parametrize("name", ["body", "dialect"])
def test_parsed_file_is_immutable(robots, name):
    with pytest.raises(AttributeError):
        setattr(robots, name, None)


def test_cache_of_rules_is_limited():
    robots = comity.parse("User-agent: *\nDisallow: /x")
    for n in range(1000):
        assert not robots.allowed("/x", agent=f"bot{n}")

    assert len(robots._cache()) <= 256


def test_unknown_dialect():
    with pytest.raises(
        comity.InvalidArgument, match="unknown dialect 'bing': expected rfc9309, google, draft1996 or 1994"
    ):
        comity.parse(b"", dialect="bing")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"precedence": "last"}, "unknown precedence 'last': expected longest or first"),
        ({"agent_match": "tokn"}, "unknown agent_match 'tokn': expected token, .* or substring"),
        ({"escapes": "bogus"}, "unknown escapes 'bogus'"),
        ({"empty_disallow": "allw"}, "unknown empty_disallow 'allw'"),
        ({"allow": "no"}, "unknown allow 'no': expected True or False"),
        ({"line_limit": 0}, "invalid line_limit 0: expected a number of bytes, at least 1, or None"),
        ({"wildcards": False}, "invalid combination: wildcards=False and escapes='rfc9309'"),
    ],
)
def test_invalid_dialect_raises(changes, says):
    with pytest.raises(comity.InvalidArgument, match=says):
        comity.protocol.robotstxt.RFC9309.replace(**changes)


@pytest.mark.parametrize("value", [True, False])
def test_line_limit_that_is_a_bool_raises(value):
    with pytest.raises(TypeError, match="line_limit: expected an int or None, not bool"):
        comity.protocol.robotstxt.RFC9309.replace(line_limit=value)


def test_line_limit_may_be_any_number():
    dialect = comity.protocol.robotstxt.RFC9309.replace(line_limit=1 << 70)

    assert not comity.parse("User-agent: *\nDisallow: /x", dialect=dialect).allowed("/x", agent="a")


@pytest.mark.parametrize(
    "body", ["User-agent: *\nDisallow: /é", "User-agent: *\nDisallow: /\udce9", "#\ud800"]
)
def test_text_is_encoded(body):
    assert comity.parse(body).body == body.encode(
        errors="surrogatepass" if "\ud800" in body else "surrogateescape"
    )


def test_prefixes_respect_other_settings_of_dialect():
    text = "User-agent: *\nDisalowed: /a\nDisallowed: /b\nAllowed: /c"
    without_typos = comity.protocol.robotstxt.GOOGLE.replace(typos=False)
    without_allow = comity.protocol.robotstxt.STANDARD1994.replace(prefixes=True)

    assert [rule.pattern for rule in comity.parse(text, dialect=without_typos).groups[0].rules] == [
        "/b",
        "/c",
    ]
    assert [rule.pattern for rule in comity.parse(text, dialect=without_allow).groups[0].rules] == ["/b"]


def test_custom_dialect():
    strict = comity.protocol.robotstxt.RFC9309.replace(name="strict", typos=False)

    assert comity.parse("User-agent: *\nDisalow: /x", dialect=strict).allowed("/x", agent="a")
    assert not comity.parse("User-agent: *\nDisalow: /x").allowed("/x", agent="a")


def test_large_body_is_split_between_lines():
    """Bodies are split in chunks after a line feed; numbers and answers go on across them."""
    body = b"# filler\r\n" * 200_000 + b"User-agent: *\r\nDisallow: /x\r\n"
    robots = comity.parse(body)

    assert robots.check("/x", agent="a").line == 200_002


def test_subclass_that_chooses_rules_is_asked_for_every_answer():
    class OfGooglebot(comity.RobotsTxt):
        def rules_for(self, agent):
            return super().rules_for("Googlebot")

    robots = OfGooglebot(b"User-agent: Googlebot\nDisallow: /g", comity.parse(b"").dialect)

    assert [robots.allowed("/g", agent="ExampleBot") for _ in range(3)] == [False] * 3


def test_subclass_with_answers_of_its_own_keeps_them():
    class Open(comity.RobotsTxt):
        def rules_for(self, agent):
            raise NotImplementedError

        def allowed(self, url, *, agent):
            return True

    class StillOpen(Open):
        pass

    for cls in (Open, StillOpen):
        assert cls(b"User-agent: *\nDisallow: /", comity.parse(b"").dialect).allowed("/", agent="x") is True


#: Each function that reads a robots.txt.
READERS = {
    "parse": comity.parse,
    "lint": comity.lint,
    "tidy": comity.tidy,
    "minimize": comity.minimize,
    "matrix": comity.matrix,
    "diff": lambda body: comity.diff(body, b""),
    "diff-new": lambda body: comity.diff(b"", body),
    "usage": lambda body: comity.usage("/", agent="ExampleBot", robots=body),
    "unreachable_rules": unreachable_rules,
    "question": lambda body: comity.agents.question("Googlebot").check(body, "/"),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    ("text", "correction"),
    [
        ("robots.txt", "read_bytes"),
        (" ../site/Robots.TXT ", "read_bytes"),
        ("C:\\site\\robots.txt", "read_bytes"),
        ("https://example.com/robots.txt", "fetch it"),
        ("HTTP://example.com", "fetch it"),
        ("file:///robots.txt", "fetch it"),
        ("robots.txt\n", "read_bytes"),
        ("robots.txt\r\n", "read_bytes"),
        ("http://e.com\n", "fetch it"),
    ],
)
def test_text_that_is_a_location_gets_one_warning(read, text, correction):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        read(text)

    [warning] = found
    assert warning.category is UserWarning
    assert correction in str(warning.message)
    assert warning.filename == __file__


def test_each_of_two_texts_gets_its_own_warning():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        comity.diff("old.txt", "new.txt")

    assert [str(warning.message).partition(":")[0] for warning in found] == ["'old.txt'", "'new.txt'"]


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_path_in_place_of_a_body_names_read_bytes(read):
    with pytest.raises(TypeError, match=r"read_bytes\(\)"):
        read(Path("robots.txt"))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "User-agent: *",
        "Disallow: /x.txt",
        "Sitemap: https://example.com/sitemap.txt",
        "# robots.txt",
        "Not Found",
        "robots.txt\nUser-agent: *",
        b"robots.txt",
        b"https://example.com/robots.txt",
        "x" * 100_000 + ".txt",
    ],
    ids=lambda body: repr(body[:20]),
)
def test_body_of_a_site_gets_no_warning(body):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in READERS.values():
            read(body)


@pytest.mark.parametrize("method", ["allowed", "check"])
@pytest.mark.parametrize("options", [{}, {"agent": "ExampleBot"}], ids=["alone", "beside-agent"])
def test_agent_by_position_raises_type_error_that_names_the_keyword(robots, method, options):
    access = access_from_text("https://example.com/", robots, now=0.0)
    for answers in (robots, FileAnswers(robots.body, robots.dialect), access):
        if hasattr(answers, method):
            with pytest.raises(
                TypeError, match=rf"^{method}\(\) takes one URL; name the robot: agent='Bot'$"
            ):
                getattr(answers, method)("/", "Bot", **options)


def test_signature_of_allowed_names_its_parameters(robots):
    assert list(inspect.signature(robots.allowed).parameters) == ["url", "agent"]
    assert comity.RobotsTxt.allowed.__doc__.startswith("Return whether a robot may fetch a URL.\n")


def pa_array(urls):
    return pytest.importorskip("pyarrow").array(urls)


@pytest.mark.parametrize("engine", ["chosen engine", "reference"])
@pytest.mark.parametrize("kind", [tuple, pa_array])
@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_urls_that_no_robots_txt_covers_are_not_allowed_among_many(engine, kind, dialect):
    """`allowed` raises for each of them; the answers for the other URLs must not be lost."""
    outside = ["mailto:a@example.com", "javascript:void(0)", "data:text/html,x", "tel:+1", "x:"]
    rules = comity.parse("User-agent: *\nDisallow: /x", dialect=dialect).rules_for("ExampleBot")
    if engine == "reference":
        rules = RankedRules(rules.dialect, rules.raw_groups)
    expected = []
    for url in (urls := ["/a", *outside, "/x", "https://example.com/a"]):
        try:
            expected.append(rules.allowed(url))
        except comity.InvalidURL:
            expected.append(False)

    assert rules.allowed_many(kind(urls)) == tuple(expected)
    if dialect != "google":  # Google's parser finds a path in each of them
        assert expected == [True, *[False] * len(outside), False, True]
