"""`RobotFileParser` in the place of the standard library's: answers, attributes, and everything around them."""

import copy
import inspect
import pickle
import urllib.request
import urllib.robotparser as stdlib

import pytest
from hypothesis import given
from strategies import agents, line_lists, urls

import comity
from comity.compat.urllib import Entry, RequestRate, RobotFileParser, RuleLine, classic, rfc9309
from comity.errors import InvalidArgument

MODES = ("comity", "classic", "rfc9309")


def parser_of(text, mode="comity"):
    parser = RobotFileParser(mode=mode)
    parser.parse(text.splitlines())
    return parser


#: A file, a robot, a URL, and whether it is allowed by RFC 9309, by Python 3.11.7, and by Python 3.14.8. The
#: first answer has its section; the others were recorded from the modules of these versions.
ANSWERS = [
    # 2.2.2: the longest rule decides
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "Bot", "/a/b", True, False, True),
    ("User-agent: *\nAllow: /a\nDisallow: /a/b", "Bot", "/a/b", False, True, False),
    # 2.2.2: the length of the rule counts, not that of the match
    ("User-agent: *\nAllow: /a/\nDisallow: *.gif", "Bot", "/a/b.gif", False, True, False),
    ("User-agent: *\nAllow: /page/\nDisallow: *.gif", "Bot", "/page/b.gif", True, True, False),
    # 2.2.2: of equivalent rules, Allow decides
    ("User-agent: *\nDisallow: /a\nAllow: /a", "Bot", "/a", True, False, True),
    # 2.2.3: special characters
    ("User-agent: *\nDisallow: /*.php$", "Bot", "/a.php", False, True, False),
    ("User-agent: *\nDisallow: /*.php$", "Bot", "/a.php5", True, True, True),
    ("User-agent: *\nDisallow: /a$b", "Bot", "/a$bc", False, False, True),
    ("User-agent: *\nDisallow: /a*b*c", "Bot", "/axbxc", False, True, False),
    ("User-agent: *\nDisallow: /a*b*c", "Bot", "/axcxb", True, True, True),
    ("User-agent: *\nDisallow: /a*bb*b$", "Bot", "/abbb", False, True, False),
    ("User-agent: *\nDisallow: /a*bb*b$", "Bot", "/abb", True, True, True),
    ("User-agent: *\nDisallow: *", "Bot", "/a", False, True, False),
    # 2.2.1: groups for the same robot are merged
    ("User-agent: Bot\nDisallow: /a\n\nUser-agent: Bot\nDisallow: /b", "Bot", "/b", False, True, False),
    ("User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "Bot", "/b", False, True, False),
    # 2.2.1: whole product tokens are compared, without regard to case
    ("User-agent: Bot\nDisallow: /", "ExampleBot", "/", True, False, False),
    ("User-agent: ExampleBot\nDisallow: /", "EXAMPLEbot/1.0", "/", False, False, False),
    (
        "User-agent: ExampleBot\nDisallow: /",
        "Mozilla/5.0 (compatible; ExampleBot/1.0)",
        "/",
        False,
        True,
        True,
    ),
    ("User-agent: a\nDisallow: /\nUser-agent: ab\nDisallow: /x", "ab", "/", True, False, True),
    # 2.2: an empty line does not end a group
    ("User-agent: a\n\nDisallow: /", "a", "/", False, True, False),
    ("User-agent: a\nDisallow: /x\n\nDisallow: /", "a", "/", False, True, False),
    # 2.2.1: a group without rules
    ("User-agent: *\nDisallow: /\n\nUser-agent: Bot", "Bot", "/", True, False, True),
    # 2.2.2: escapes of unreserved characters are decoded, those of reserved characters are not
    ("User-agent: *\nDisallow: /%7Ejoe", "Bot", "/~joe", False, False, False),
    ("User-agent: *\nDisallow: /a%2Fb", "Bot", "/a/b", True, False, False),
    ("User-agent: *\nDisallow: /\u00e9", "Bot", "/%C3%A9", False, False, False),
    # 2.2.2: path and query are compared, the fragment is not
    ("User-agent: *\nDisallow: /a#b", "Bot", "/a", False, False, False),
    ("User-agent: *\nDisallow: /a%23b", "Bot", "/a#b", True, False, False),
    ("User-agent: *\nDisallow: /a?", "Bot", "/a", True, False, True),
    # 2.2.2: /robots.txt is implicitly allowed
    ("User-agent: *\nDisallow: /", "Bot", "https://example.com/robots.txt", True, False, True),
    # 2.2: lines before the first group are ignored
    ("Disallow: /\nUser-agent: *\nDisallow: /a", "Bot", "/b", True, True, True),
    # no path, so no rule matches
    ("User-agent: *\nDisallow: /", "Bot", "mailto:a@example.com", True, True, True),
    ("User-agent: *\nDisallow: /", "*", "", False, False, False),
    ("User-agent: *\nDisallow: /", "", "/", False, False, False),
]


@pytest.mark.parametrize(("text", "agent", "url", "by_rfc", "by_311", "by_314"), ANSWERS)
def test_answers_of_each_mode(text, agent, url, by_rfc, by_311, by_314):
    found = [parser_of(text, mode).can_fetch(agent, url) for mode in MODES]

    assert found == [by_rfc, by_311, by_314]


@given(lines=line_lists, url=urls, agent=agents)
def test_default_answers_are_those_of_comity(lines, url, agent):
    robots = comity.parse("\n".join(lines))
    parser = RobotFileParser()
    parser.parse(lines)

    assert parser.can_fetch(agent, url) is robots.allowed(url, agent=agent)
    assert parser.crawl_delay(agent) == robots.rules_for(agent).crawl_delay
    assert tuple(parser.site_maps() or ()) == robots.sitemaps * len(parser.sitemaps)


@given(lines=line_lists, url=urls, agent=agents)
def test_text_of_a_parser_is_a_file_with_the_same_answers(lines, url, agent):
    parser = RobotFileParser()
    parser.parse(lines)
    again = parser_of(str(parser))

    assert again.can_fetch(agent, url) is parser.can_fetch(agent, url)
    assert str(again) == str(parser)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_allowed_before_a_file_was_parsed(mode):
    parser = RobotFileParser("https://example.com/robots.txt", mode=mode)

    assert parser.mtime() == 0
    assert not parser.can_fetch("Bot", "https://example.com/")
    assert parser.crawl_delay("Bot") is parser.request_rate("Bot") is parser.site_maps() is None
    parser.modified()
    assert parser.mtime() == parser.last_checked > 0
    assert parser.can_fetch("Bot", "https://example.com/")


@pytest.mark.parametrize("mode", MODES)
def test_flags_can_be_set(mode):
    parser = parser_of("User-agent: *\nDisallow: /a", mode)
    parser.allow_all = True
    assert parser.can_fetch("Bot", "/a")
    parser.disallow_all = True
    assert not parser.can_fetch("Bot", "/b")


@pytest.mark.parametrize("mode", MODES)
def test_fields_of_groups(mode):
    text = "User-agent: Bot\nCrawl-delay: 3\nRequest-rate: 9/30\nDisallow: /a\nSitemap: https://example.com/s.xml\n"
    parser = parser_of(text, mode)

    assert type(parser.crawl_delay("Bot")) is int
    assert (parser.crawl_delay("Bot"), parser.crawl_delay("Other")) == (3, None)
    assert parser.request_rate("Bot") == RequestRate(requests=9, seconds=30) == (9, 30)
    assert parser.request_rate("Other") is None
    assert parser.site_maps() == parser.sitemaps == ["https://example.com/s.xml"]
    assert str(parser) == text.rpartition("\nSitemap")[0]


@pytest.mark.parametrize(
    ("field", "delay", "rate"),
    [
        ("Crawl-delay: 2.5", 3, None),
        ("Crawl-delay: 0.2", 1, None),
        ("Crawl-delay: 0", 0, None),
        ("Crawl-delay: pears", None, None),
        ("Crawl-delay: 2\nCrawl-delay: 4", 4, None),
        ("Request-rate: 1/10m", None, (1, 600)),
        ("Request-rate: 1/5\nRequest-rate: 1/9\nRequest-rate: 1/7", None, (1, 9)),
        ("Request-rate: 1/5 0600-0845", None, None),
        ("Request-rate: 9/banana", None, None),
    ],
)
def test_default_reads_more_rates_than_the_original(field, delay, rate):
    parser = parser_of(f"User-agent: *\n{field}\nDisallow: /a")
    assert parser.default_entry is not None

    assert parser.crawl_delay("Bot") == parser.default_entry.delay == delay
    assert parser.request_rate("Bot") == parser.default_entry.req_rate == rate


TWO_GROUPS = "User-agent: *\nDisallow: /a\n\nUser-agent: Bot\nUser-agent: b\nDisallow: /b\nAllow:\n\nUser-agent: *\nAllow: /a/c"


def test_groups_of_the_default():
    parser = parser_of(TWO_GROUPS)
    (entry,) = parser.entries
    default = parser.default_entry

    assert isinstance(entry, Entry)
    assert (entry.useragents, [str(rule) for rule in entry.rulelines]) == (["Bot", "b"], ["Disallow: /b"])
    assert str(default) == "User-agent: *\nDisallow: /a\nAllow: /a/c"
    assert entry.applies_to("bot/1.0")
    assert not entry.applies_to("Robot")
    assert default.applies_to("Robot")
    assert (default.allowance("/a/c"), default.allowance("/a"), entry.allowance("/b")) == (True, False, False)
    assert (default.rulelines[0].applies_to("/a"), default.rulelines[0].applies_to("/b")) == (True, False)


def test_groups_of_the_other_modes():
    assert [entry.useragents for entry in parser_of(TWO_GROUPS, "classic").entries] == [["Bot", "b"]]
    assert str(parser_of(TWO_GROUPS, "classic").default_entry) == "User-agent: *\nDisallow: /a"
    assert [entry.useragents for entry in parser_of(TWO_GROUPS, "rfc9309").entries] == [
        ["*"],
        ["Bot", "b"],
        ["*"],
    ]
    assert parser_of(TWO_GROUPS, "rfc9309").default_entry is None


@pytest.mark.parametrize(("mode", "module"), [("classic", classic), ("rfc9309", rfc9309), ("comity", None)])
def test_groups_can_be_replaced(mode, module):
    new, rule = (module.Entry(), module.RuleLine("/x", False)) if module else (Entry(), RuleLine("/x", False))
    new.useragents, new.rulelines = ["Bot"], [rule]
    parser = parser_of(
        "Sitemap: https://example.com/s\nUser-agent: Bot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", mode
    )
    parser.entries = [new]
    parser.default_entry = None
    assert str(parser) == "User-agent: Bot\nDisallow: /x"
    assert parser.site_maps() == ["https://example.com/s"]
    if mode != "rfc9309":  # where the merged groups are kept apart, as in the original
        assert [parser.can_fetch("Bot", path) for path in ("/a", "/x")] == [True, False]
        assert parser.can_fetch("Other", "/b")
    parser.sitemaps = []
    assert parser.site_maps() is None


def test_groups_can_be_changed_in_place():
    parser = parser_of("Sitemap: https://example.com/s\nUser-agent: Bot\nDisallow: /a\nCrawl-delay: 2")
    entries, new = parser.entries, Entry()
    assert not parser.can_fetch("Bot", "/a")
    new.useragents, new.rulelines = ["OtherBot"], [RuleLine("/x", False)]
    entries.append(new)
    assert [parser.can_fetch("OtherBot", path) for path in ("/a", "/x")] == [True, False]
    new.delay = 7
    entries[0].rulelines.append(RuleLine("/b", False))
    assert [parser.can_fetch("Bot", path) for path in ("/a", "/b", "/x")] == [False, False, True]
    assert [parser.crawl_delay(name) for name in ("Bot", "OtherBot")] == [2, 7]
    del entries[0]
    assert parser.can_fetch("Bot", "/a")
    assert str(parser) == "User-agent: OtherBot\nCrawl-delay: 7\nDisallow: /x"
    assert parser.site_maps() == ["https://example.com/s"]
    parser.parse(["User-agent: *", "Disallow: /new"])
    assert [parser.can_fetch("OtherBot", path) for path in ("/x", "/new")] == [True, False]


def test_a_later_file_replaces_an_earlier_one_by_default():
    earlier, later = (
        ["User-agent: *", "Disallow: /a", "Sitemap: https://example.com/1"],
        ["User-agent: *", "Disallow: /b"],
    )
    for mode, expected in (
        ("comity", [True, False]),
        ("classic", [False, True]),
        ("rfc9309", [False, False]),
    ):
        parser = RobotFileParser(mode=mode)
        parser.parse(earlier)
        parser.parse(later)
        assert [parser.can_fetch("Bot", path) for path in ("/a", "/b")] == expected, mode
        assert parser.site_maps() == (None if mode == "comity" else ["https://example.com/1"])


@pytest.mark.parametrize(
    "lines",
    [
        ["User-agent: *\n", "Disallow: /a\n"],
        ("\ufeffUser-agent: *", "Disallow: /a\r\n"),
        iter(["User-agent: *", "Disallow: /a"]),
        (line for line in ["User-agent: *", "Disallow: /a"]),
        "User-agent: *\rDisallow: /a",
    ],
    ids=["line-ends", "byte-order-mark", "iterator", "generator", "text"],
)
def test_lines_of_any_kind(lines):
    parser = RobotFileParser()
    parser.parse(lines)

    assert not parser.can_fetch("Bot", "/a")


@pytest.mark.parametrize(
    "lines", [None, 123, b"User-agent: *", [b"User-agent: *"], [1], ["User-agent: *", None]]
)
def test_wrong_lines_raise_what_the_original_raises(lines):
    with pytest.raises((TypeError, AttributeError)) as theirs:
        stdlib.RobotFileParser().parse(lines)
    for mode in MODES:
        with pytest.raises(theirs.type):
            RobotFileParser(mode=mode).parse(lines)


def test_content_raises_only_as_in_the_standard_library():
    for line in (
        "Disallow: //[",
        f"Crawl-delay: {'9' * 5000}",
        "Crawl-delay: \u00b2",
        "Request-rate: \u00b2/5",
    ):
        RobotFileParser().parse(["User-agent: *", line])
    with pytest.raises(ValueError, match="Invalid IPv6 URL"):
        RobotFileParser(mode="classic").parse(["User-agent: *", "Disallow: //["])


def test_agent_none_is_a_robot_without_a_name():
    for mode in MODES:
        assert not parser_of("User-agent: *\nDisallow: /a", mode).can_fetch(None, "/a")
    assert parser_of("User-agent: Bot\nDisallow: /a").can_fetch(None, "/a")
    assert parser_of("User-agent: *\nCrawl-delay: 2").crawl_delay(None) == 2


@pytest.mark.parametrize("mode", MODES)
def test_pickles_and_copies(mode):
    parser = parser_of("User-agent: *\nDisallow: /a\nCrawl-delay: 2", mode)
    parser.set_url("https://example.com/robots.txt")

    for twin in (pickle.loads(pickle.dumps(parser)), copy.deepcopy(parser), copy.copy(parser)):
        assert str(twin) == str(parser)
        assert (twin.mode, twin.host, twin.mtime(), twin.crawl_delay("Bot")) == (
            mode,
            "example.com",
            parser.mtime(),
            2,
        )
        assert not twin.can_fetch("Bot", "/a")
        assert twin != parser  # equality by identity
    assert len({parser, parser}) == 1


class Logged(RobotFileParser):
    """A subclass as programs write it: it overrides `read` and `parse`, and takes a URL only."""

    def __init__(self, url=""):
        self.calls = []
        super().__init__(url)

    def read(self):
        self.parse(["User-agent: *", "Disallow: /a"])

    def parse(self, lines):
        self.calls.append(lines)
        super().parse(lines)


def test_subclass():
    parser = Logged("https://example.com:8000/a/robots.txt?x")
    parser.read()

    assert len(parser.calls) == 1
    assert (parser.host, parser.path) == ("example.com:8000", "/a/robots.txt")
    assert [parser.can_fetch("Bot", path) for path in ("/a", "/b")] == [False, True]
    assert not pickle.loads(pickle.dumps(parser)).can_fetch("Bot", "/a")


def test_url_is_a_request():
    request = urllib.request.Request("https://example.com/robots.txt", headers={"User-Agent": "Bot"})
    parser = RobotFileParser(request)

    assert parser.url is request
    assert (parser.host, parser.path) == ("example.com", "/robots.txt")


@pytest.mark.parametrize("url", [None, b"http://example.com/robots.txt", 5])
def test_url_of_other_type_is_accepted_as_in_the_original(url):
    def parts(cls):
        try:
            parser = cls(url)
        except Exception as error:
            return type(error)
        return parser.url, parser.host, parser.path

    assert parts(RobotFileParser) == parts(stdlib.RobotFileParser)


def test_unknown_mode():
    with pytest.raises(InvalidArgument, match=r"unknown mode 'new': expected comity, classic or rfc9309"):
        RobotFileParser(mode="new")


def test_every_public_method_of_the_original_exists():
    for name, method in inspect.getmembers(stdlib.RobotFileParser, inspect.isfunction):
        if name == "__init__" or not name.startswith("_"):
            ours = inspect.signature(getattr(RobotFileParser, name)).parameters.values()
            positional = [
                parameter.name for parameter in ours if parameter.kind is not parameter.KEYWORD_ONLY
            ]
            assert positional == list(inspect.signature(method).parameters), name
    missing = vars(stdlib.RobotFileParser()).keys() - {"groups"} - set(dir(RobotFileParser()))
    assert not missing
    assert repr(RequestRate(3, 15)) == repr(stdlib.RequestRate(3, 15))
