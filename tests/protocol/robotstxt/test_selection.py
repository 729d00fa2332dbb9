"""Which group speaks to a robot, from whatever name the caller has."""

import itertools

import pytest
from growth import at_most
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.protocol.robotstxt.engine.dialect import AGENT_MATCHES, DIALECTS
from comity.protocol.robotstxt.engine.selection import Directory

HEADERS = [
    ("ExampleBot", "ExampleBot"),
    ("ExampleBot/1.2", "ExampleBot"),
    ("ExampleBot/1.2 [http://foo.int]", "ExampleBot"),
    ("FigTree/0.1 Robot libwww-perl/5.04", "FigTree"),
    ("MJ12bot", "MJ12bot"),
    ("panscient.com", "panscient.com"),
    ("*", "*"),
    ("", ""),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
    (
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) "
        "Chrome/130.0.0.0 Safari/537.36",
        "Googlebot",
    ),
    (
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130 "
        "Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Googlebot",
    ),
    (
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com",
        "OAI-SearchBot",
    ),
    (
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "GPTBot",
    ),
    ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "bingbot"),
    ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"),
    ("Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)", "SemrushBot"),
    ("Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot"),
    ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp"),
    (
        "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
        "archive.org_bot",
    ),
    (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 "
        "Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        "Applebot",
    ),
    (
        "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49 Safari/537.36; 360Spider",
        "360Spider",
    ),
    (
        "Mozilla/5.0 (Linux; Android 5.0) Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
        "Bytespider",
    ),
    ("AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google"),
    ("ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)", "ia_archiver"),
    ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"),
    ("python-requests/2.34.2", "python-requests"),
    ("ExampleBot/1.0 (compatible; like Googlebot)", "ExampleBot"),
    ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)", "Mozilla"),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Mozilla"),
    ("Mozilla/5.0 (compatible; Львів-bot/1.1)", "Львів-bot"),
    ("Mozilla/5.0 zgrab/0.x", "zgrab"),
    ("Mozilla/5.0 (Macintosh) Meta-ExternalAgent/1.1", "Meta-ExternalAgent"),
    ("Mozilla/5.0 HeadlessChrome/1 Safari/537.36 Prerender/2 (+https://example.com/prerender)", "Prerender"),
    ("(", ""),
    ("Mozilla/5.0 " + "(" * 5000, "Mozilla"),
]


@pytest.mark.parametrize(("header", "token"), HEADERS)
def test_product_token(header, token):
    assert comity.product_token(header) == token


@pytest.mark.parametrize(
    ("value", "agent", "named"),
    [
        ("ExampleBot", "examplebot", True),
        ("EXAMPLEBOT", "ExampleBot/1.0 (+https://example.com)", True),
        ("ExampleBot/2.0", "ExampleBot", True),
        ("ExampleBot*", "ExampleBot", True),
        ("ExampleBot Images", "ExampleBot", True),
        ("ExampleBot, OtherBot", "ExampleBot", True),
        ("OtherBot, ExampleBot", "ExampleBot", False),
        ("Example", "ExampleBot", False),
        ("ExampleBotImages", "ExampleBot", False),
        ("MJ12bot", "MJ12bot", True),
        ("mj12bot/1.4", "MJ12BOT", True),
        ("panscient.com", "panscient.com", True),
        ("MJ12bot\tx", "MJ12bot", True),
        ("MJ12bot,x", "MJ12bot", True),
        ("MJ12bot-x", "MJ12bot", False),
        ("360Spider", "360Spider", True),
        ("Львів-bot", "Mozilla/5.0 (compatible; Львів-bot/1.1)", True),
        ("*", "ExampleBot", False),
        ("", "", False),
        ("123", "", False),
    ],
)
def test_names_in_rfc9309(value, agent, named):
    robots = comity.parse(f"User-agent: {value}\nDisallow: /x\n\nUser-agent: *\nAllow: /")

    assert (robots.rules_for(agent).matched not in ("*", None)) is named


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("match", [None, *AGENT_MATCHES])
def test_star_is_a_robot_that_no_group_names(dialect, match):
    for value, default, agent in itertools.product(
        ["*,x", "*/1", "* x", "*\tx", "*x", "**", "*", "", "1"],
        ["", "User-agent: *\nDisallow: /b\n"],
        ["*", "", "*/1", ("*", ""), ("*", "Unlisted")],
    ):
        robots = comity.parse(
            f"User-agent: {value}\nDisallow: /a\n\n{default}", dialect=dialect, agent_match=match
        )
        unlisted, rules = robots.rules_for("Unlisted"), robots.rules_for(agent)
        assert (rules.matched, rules.groups) == (unlisted.matched, unlisted.groups)
        assert rules.allowed_many(["/a", "/b"]) == unlisted.allowed_many(["/a", "/b"])
        assert bool(rules.check("/a")) == unlisted.allowed("/a")
        assert rules.fields == unlisted.fields


def test_google_compares_leading_letters_only():
    text = "User-agent: MJ12bot\nDisallow: /x"

    assert comity.parse(text, dialect="google").allowed("/x", agent="MJ12bot")
    assert not comity.parse(text, dialect="google").allowed("/x", agent="MJ")


@pytest.mark.parametrize(
    ("names", "matched"),
    [
        (("Googlebot-Image", "Googlebot"), "Googlebot"),
        (["Googlebot-News", "Googlebot"], "Googlebot-News"),
        (("Storebot-Google",), "*"),
        (("Storebot-Google/1.0 (x)", "Googlebot/2.1"), "Googlebot"),
        ((), "*"),
    ],
)
def test_tokens_in_order_of_preference(names, matched):
    robots = comity.parse(
        "User-agent: Googlebot-News\nDisallow: /n\n\nUser-agent: *\nDisallow: /a\n\nUser-agent: googlebot\nDisallow: /g"
    )

    assert robots.rules_for(names).matched == matched


def test_agent_is_keyword_only():
    with pytest.raises(TypeError):
        comity.parse("").allowed("/", "ExampleBot")


#: "A Standard for Robot Exclusion" (1994): "A case insensitive substring match of the name without version
#: information is recommended." The last two rows are decisions of Comity.
SUBSTRINGS = [
    ("mapper", "CyberMapper", "mapper"),
    ("MAPPER/1.0", "cybermapper", "MAPPER/1.0"),
    ("cybermapper deluxe", "CyberMapper/2.1", "cybermapper deluxe"),
    ("CyberMapper/2.1", "CyberMapper", "CyberMapper/2.1"),
    ("Mozilla/5.0 (compatible; CyberMapper/2.1)", "CyberMapper", "Mozilla/5.0 (compatible; CyberMapper/2.1)"),
    ("mappers", "CyberMapper", "*"),
    ("2.1", "CyberMapper/2.1", "*"),
    ("", "CyberMapper", "*"),
    ("mapper", "", "*"),
    ("*mapper", "*", "*"),
    ("mapper\nDisallow: /a\n\nUser-agent: CyberMapper", "CyberMapper", "CyberMapper"),
    ("mapper", ("Plotter", "CyberMapper"), "mapper"),
]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
@pytest.mark.parametrize(("value", "agent", "selected"), SUBSTRINGS)
def test_substrings_in_both_directions(dialect, value, agent, selected):
    body = f"User-agent: {value}\nDisallow: /x\n\nUser-agent: *\nDisallow: /x\n"
    robots = comity.parse(body, dialect=dialect, agent_match="substring")

    assert robots.check("/x", agent=agent).group_agent == selected


@pytest.mark.parametrize(
    ("dialect", "lines"), [("rfc9309", [1, 7]), ("google", [1, 7]), ("draft1996", [1]), ("1994", [1])]
)
def test_substrings_merge_groups_as_the_dialect_does(dialect, lines):
    body = (
        "User-agent: cyber\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\nUser-agent: mapper\nDisallow: /c"
    )
    rules = comity.parse(body, dialect=dialect, agent_match="substring").rules_for("CyberMapper")

    assert [group.line for group in rules.groups] == lines


def test_long_name_and_many_values_take_linear_time():
    """Each value was searched for in the whole name: 8 seconds."""
    body = "".join(f"User-agent: bot{number}\nDisallow: /{number}\n" for number in range(20_000))
    robots = comity.parse(body, agent_match="substring")

    with at_most(40):
        verdict = robots.check("/77", agent="x" * 300_000 + "bot77")
    assert not verdict.allowed


@given(
    values=st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=30),
    name=st.text("abcd", min_size=1, max_size=40),
)
def test_values_in_a_name_are_the_same_by_parts_and_by_search(values, name):
    body = "".join(f"User-agent: {value}\nDisallow: /{number}\n" for number, value in enumerate(values))
    merged = comity.protocol.robotstxt.STANDARD1994.replace(merges_named=True)
    groups = comity.parse(body, dialect=merged).rules_for((name,)).groups

    assert {group.agents[0] for group in groups} == {value for value in values if value in name}


def test_agent_match_of_parsed_file():
    robots = comity.parse("User-agent: mapper\nDisallow: /", dialect="google")
    matched = comity.parse(robots, agent_match="substring")

    assert matched.dialect == robots.dialect.replace(agent_match="substring")
    assert comity.parse(matched) is comity.parse(matched, agent_match="substring") is matched
    assert comity.parse(matched, dialect="google") == robots
    assert comity.parse(robots, agent_match="google-token") is robots
    assert comity.parse("", agent_match="token").dialect is comity.protocol.robotstxt.RFC9309
    with pytest.raises(
        comity.InvalidArgument, match="unknown agent_match 'part': expected token, .* or substring"
    ):
        comity.parse("", agent_match="part")


#: What the file writes, the robot, and the ways to match that find the group.
SPELLINGS = [
    ("FooBot/1.0", "foobot", ["token", "google-token", "value-in-name", "name-in-value", "substring"]),
    ("FOOBOT", "FooBot/2.0 (+https://example.com/)", ["token", "google-token", "value-in-name", "substring"]),
    ("FooBot Images", "foobot", ["token", "google-token", "name-in-value", "substring"]),
    ("my FooBot", "foobot", ["name-in-value", "substring"]),
    ("Oob", "FooBot", ["value-in-name", "substring"]),
    ("* x", "foobot", ["google-token"]),
]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
@pytest.mark.parametrize(
    ("value", "agent", "match"),
    [(value, agent, match) for value, agent, found in SPELLINGS for match in found],
)
def test_explanation_spells_group_as_file(dialect, value, agent, match):
    for rule in ("Disallow: /x", "Disallow: /y", "Disallow:", "Crawl-delay: 1"):
        body = f"User-agent: OtherBot\nUser-agent: {value}\nUser-agent: {value.swapcase()}\n{rule}\n"
        verdict = comity.parse(body, dialect=dialect, agent_match=match).check("/x", agent=agent)

        assert verdict.group_agent == verdict.record()["group_agent"] == value
        assert f"(group {value}, lines 1-4" in verdict.explain()


names = st.text("abA/ *\n", max_size=6)
values = st.text("abA/ *", max_size=4).map(str.encode)


@pytest.mark.parametrize(
    "dialect",
    [comity.protocol.robotstxt.DRAFT1996, comity.protocol.robotstxt.STANDARD1994],
    ids=lambda dialect: dialect.name,
)
@given(groups=st.lists(st.lists(values, min_size=1, max_size=3), max_size=12), name=names)
def test_substring_search_agrees_with_scan(dialect, groups, name):
    directory = Directory(groups, dialect)
    asked = name.lower().encode()
    expected = [
        (number, place)
        for number, group in enumerate(groups)
        for place, value in enumerate(group)
        if value != b"*"
        for known in [
            value.lower() if dialect.name == "draft1996" else value.lower().partition(b"/")[0].rstrip()
        ]
        if asked not in (b"", b"*")
        and known
        and (asked in known if dialect.name == "draft1996" else known in asked)
    ]

    found = directory.select([name])
    if expected:
        assert found.mentions == tuple(mention for mention in expected if mention[0] == expected[0][0])
    else:
        assert found.name != name or name == "*"


@given(groups=st.lists(st.lists(values, min_size=1, max_size=3), max_size=12), name=names)
def test_substrings_agree_with_scan(groups, name):
    dialect = comity.protocol.robotstxt.RFC9309.replace(agent_match="substring")
    exact = Directory(groups, comity.protocol.robotstxt.RFC9309).select([name])
    asked = name.lower().encode()
    expected = tuple(
        (number, place)
        for number, group in enumerate(groups)
        for place, value in enumerate(group)
        for text in [value.lower()]
        if value != b"*" and text and asked not in (b"", b"*")
        if asked in text or (text.partition(b"/")[0].rstrip() or b"\0") in asked or text in asked
    )

    found = Directory(groups, dialect).select([name])
    if exact != Directory(groups, comity.protocol.robotstxt.RFC9309).select([]):
        assert found == exact
    elif expected:
        assert found.mentions == expected
    else:
        assert found == exact
