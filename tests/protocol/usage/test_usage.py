"""Preferences for the use of content: each vocabulary, and their combination."""

import json
import pickle
import tracemalloc
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import bodies, dialects, paths, patterns

import comity
from comity.protocol.robotstxt.fields.content_usage import expression
from comity.protocol.robotstxt.fields.vocabulary import VOCABULARIES, combined
from comity.protocol.usage import ai_txt_file as ai_txt
from comity.protocol.usage import tdmrep_file as tdmrep

ALLOW, DISALLOW, UNKNOWN = comity.Preference.ALLOW, comity.Preference.DISALLOW, comity.Preference.UNKNOWN

DRAFT = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""
ALL = "User-agent: *\nContent-Usage: "

# authority, file, robot, path, the preferences for train-ai and search, the line that decides train-ai
RULES = [
    ("draft", DRAFT, "OtherBot", "/test", "disallow unknown", 4),
    ("draft", DRAFT, "OtherBot", "/never/test", "unknown unknown", None),
    ("draft", DRAFT, "OtherBot", "/ai-ok/test", "allow unknown", 5),
    ("draft", DRAFT, "ExampleBot", "/never/test", "allow unknown", 9),
    # A longer path replaces a shorter one entirely; the order does not matter.
    ("draft", ALL + "train-ai=n, search=n\nContent-Usage: /p/ train-ai=y", "b", "/p/x", "allow unknown", 3),
    ("draft", ALL + "/p/ train-ai=y\nContent-Usage: train-ai=n, search=n", "b", "/p/x", "allow unknown", 2),
    ("draft", ALL + "/p/ train-ai=y\nContent-Usage: train-ai=n, search=n", "b", "/q", "disallow disallow", 3),
    ("draft", ALL + "train-ai=n\nContent-Usage: /p/ search=y", "b", "/p/x", "unknown allow", None),
    ("draft", ALL + "/p train-ai=y\nContent-Usage: /p train-ai=n", "b", "/p", "disallow unknown", 3),
    ("draft", ALL + "train-ai=n\nContent-Usage: search=y", "b", "/p", "disallow allow", 2),
    ("comity", ALL + "/ab train-ai=y\nContent-Usage: /*b train-ai=n", "b", "/ab", "disallow unknown", 3),
    ("draft", ALL + "/*.jpg$ train-ai=n", "b", "/a/b.jpg", "disallow unknown", 2),
    ("draft", ALL + "/*.jpg$ train-ai=n", "b", "/a/b.jpg?x", "unknown unknown", None),
    ("draft", ALL + "train-ai=n # no", "b", "/x", "disallow unknown", 2),
    ("draft", ALL + "/a", "b", "/a", "unknown unknown", None),
    ("draft", "User-agent: *\nContent-Usage:\t/a\ttrain-ai=n", "b", "/a1", "disallow unknown", 2),
    ("draft", ALL + "/a \t train-ai=n", "b", "/a1", "disallow unknown", 2),
    ("draft", "User-agent: *\nCONTENT-USAGE : train-ai=n", "b", "/a", "disallow unknown", 2),
    ("draft", ALL + "*.gif train-ai=n", "b", "/a.gif", "unknown unknown", None),
    ("draft", ALL + "train-ai=n\nUser-agent: b\nAllow: /", "b", "/a", "unknown unknown", None),
    ("draft", ALL + "TRAIN-AI=n", "b", "/a", "unknown unknown", None),
    ("draft", "User-agent: b\nContent-Usage: train-ai=n\n\nUser-agent: b\nContent-Usage: /x/ search=n", "b", "/y", "disallow unknown", 2),
    ("draft", "Content-Usage: train-ai=n\nUser-agent: *\nAllow: /", "b", "/a", "unknown unknown", None),
    ("draft", ALL + "train-ai=n, future=y", "b", "/a", "disallow unknown", 2),
    ("draft", ALL + "/caf%c3%a9/ train-ai=n", "b", "/caf%C3%A9/x", "disallow unknown", 2),
    ("rfc", ALL + "/a%2Fb train-ai=n", "b", "/a/b", "unknown unknown", None),
    ("rfc", ALL + "/%7Ejoe train-ai=n", "b", "/~joe", "disallow unknown", 2),
    # RFC 9309 2.2.2: both spellings of a query are equal.
    ("comity", ALL + "/f?u=http://a train-ai=n", "b", "/f?u=http%3A%2F%2Fa", "disallow unknown", 2),
    ("comity", ALL + "/f?u=http://a train-ai=y", "b", "/f?u=http%3A%2F%2Fa", "allow unknown", 2),
    # It belongs to the names above it, back to the previous field, and ends no run of names.
    ("comity", "User-agent: b\nContent-Usage: train-ai=n\nUser-agent: c\nDisallow: /x", "b", "/", "disallow unknown", 2),
    ("comity", "User-agent: c\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /x", "b", "/", "unknown unknown", None),
    ("comity", "User-agent: b\nCrawl-delay: 1\nUser-agent: c\nContent-Usage: train-ai=n", "b", "/", "unknown unknown", None),
    # A longer path whose value cannot be read: it may have meant either.
    ("comity", ALL + "/ train-ai=n, search=y\nContent-Usage: /p train-ai=n,", "b", "/p", "disallow unknown", 2),
    ("comity", ALL + "/ train-ai=n\nContent-Usage: /p train-ai=y\nContent-Usage: /p N", "b", "/p", "allow unknown", 3),
    # A reference that can be read as a path or as a host and a path.
    ("comity", ALL + "/a/ train-ai=n", "b", "h/a/x", "disallow unknown", 2),
]  # fmt: skip


@pytest.mark.parametrize(("authority", "text", "agent", "path", "expected", "line"), RULES)
def test_rules(authority, text, agent, path, expected, line):
    usage = comity.parse(text).rules_for(agent).usage(path)
    decided = usage.deciding("train-ai")

    assert [usage.preference(category).value for category in ("train-ai", "search")] == expected.split()
    assert (decided.place if decided else None) == line
    assert comity.usage(path, agent=agent, robots=comity.parse(text)) == usage


# value, the preferences for train-ai and search
VALUES = [
    ("train-ai=n", DISALLOW, UNKNOWN),
    ("train-ai=y, search=n", ALLOW, DISALLOW),
    ("train-ai=N", UNKNOWN, UNKNOWN),
    ("Train-AI=n", UNKNOWN, UNKNOWN),
    ("train-ai=n,", UNKNOWN, UNKNOWN),
    ('train-ai="n"', UNKNOWN, UNKNOWN),
    ("train-ai=?0", UNKNOWN, UNKNOWN),
    ('train-ai=y, train-ai, search=n, search="n"', UNKNOWN, UNKNOWN),
    ("train-ai;allow=n, train-ai=y", ALLOW, UNKNOWN),
    ("train-ai=n;x=1, foo=(a b)", DISALLOW, UNKNOWN),
    ("", UNKNOWN, UNKNOWN),
]


@pytest.mark.parametrize(("value", "train", "search"), VALUES)
def test_values(value, train, search):
    for usage in (
        comity.usage("/", agent="b", headers=[("content-usage", value)]),
        comity.usage("/", agent="b", headers=[(b"Content-Usage", value.encode())]),
        comity.usage("/", agent="b", robots=comity.parse(ALL + value)),
    ):
        assert (usage.preference("train-ai"), usage.preference("search")) == (train, search)


def test_header_lines_count_as_one():
    def train(*values):
        headers = [("Content-Usage", value) for value in values]
        return comity.usage("/", agent="b", headers=headers).preference("train-ai")

    assert train("train-ai=n", "search=y") is DISALLOW
    assert train("train-ai=n", "train-ai=y") is ALLOW  # one dictionary; the last member counts
    assert train("train-ai=n", "Search=y") is UNKNOWN


def test_header_and_robots_combine():
    robots = comity.parse(ALL + "train-ai=n")
    usage = comity.usage("/", agent="b", robots=robots, headers=[("Content-Usage", "train-ai=y, search=y")])

    assert (usage.preference("train-ai"), usage.preference("search")) == (DISALLOW, ALLOW)
    assert [(one.source, one.standing.code) for one in usage.statements if one.category == "train-ai"] == [
        ("robots.txt", "decides"),
        ("header", "disallow-wins"),
    ]


def test_combined_preferences():
    assert combined([]) is UNKNOWN
    assert combined([UNKNOWN, ALLOW]) is ALLOW
    assert combined([ALLOW, DISALLOW, UNKNOWN]) is DISALLOW


def test_vocabulary_decides_the_labels():
    robots = comity.parse(ALL + "train-ai=n, train-genai=n, genai=n")
    named = comity.usage("/", agent="b", robots=robots, vocabulary="aipref-vocab-03")
    own = robots.rules_for("b").usage("/", vocabulary=comity.Vocabulary("own", ("genai",)))

    assert named.preference("train-genai") is DISALLOW
    assert named.preference("bots") is UNKNOWN
    assert (own.preference("genai"), own.preference("train-ai")) == (DISALLOW, UNKNOWN)
    with pytest.raises(comity.InvalidArgument, match="unknown category 'genai': expected train-ai, search, "):
        robots.rules_for("b").usage("/").permits("genai")
    with pytest.raises(comity.InvalidArgument, match="unknown vocabulary 'rsl'"):
        robots.rules_for("b").usage("/", vocabulary="rsl")


def test_vocabularies_have_their_names():
    assert all(name == vocabulary.name for name, vocabulary in VOCABULARIES.items())
    assert expression(b"train-ai=n;a=b, search=y") == {"train-ai": DISALLOW, "search": ALLOW}


# lines of the group, the preferences for search, ai-input, train-ai
SIGNALS = [
    ("Content-Signal: search=yes, ai-train=no", "allow unknown disallow"),
    ("content-signal: SEARCH=YES", "allow unknown unknown"),
    ("Content-Signal: search = yes ,ai-input=no,", "allow disallow unknown"),
    ("Content-Signal: search=yes\nContent-Signal: search=no", "disallow unknown unknown"),
    ("Content-Signal: ai-train=maybe, future=no", "unknown unknown unknown"),
    ("Content-Signal: ai-train", "unknown unknown unknown"),
    ("Content-Signal: search=yes,ai-train=no,use=reference", "allow unknown disallow"),
    ("Content-Signal: search=yes, use=reference", "allow unknown disallow"),
    ("Content-Signal: search=yes, ai-input=yes, use=immediate", "disallow allow disallow"),
    ("Content-Signal: ai-train=yes, use=full", "unknown unknown allow"),
    ("Disallow: /x", "unknown unknown unknown"),
]


@pytest.mark.parametrize(("lines", "expected"), SIGNALS)
def test_signals(lines, expected):
    usage = comity.parse(f"User-agent: *\n{lines}").rules_for("b").usage("/")

    assert [
        usage.preference(category).value for category in ("search", "ai-input", "train-ai")
    ] == expected.split()
    for value in [line.partition(": ")[2] for line in lines.splitlines() if line.startswith("Content-S")]:
        header = comity.usage("/", agent="b", headers=[("Content-Signal", value)])
        assert [one.source for one in header.statements] == ["header"] * len(header.statements)


def test_content_signals_are_values():
    text = (
        "User-agent: a\nContent-Signal: search=yes, x=1\nContent-Signal: search=no,use=full,use=reference\n"
    )
    signals = comity.parse(text).rules_for("a").content_signals

    assert (signals.search, signals.ai_input, signals.ai_train, signals.use) == (
        DISALLOW,
        UNKNOWN,
        UNKNOWN,
        "reference",
    )
    assert signals["search"] is DISALLOW
    assert signals.conflicts == ("search", "use")
    assert [(it.key, it.value, it.line) for it in signals.signals][:2] == [
        ("search", "yes", 2),
        ("x", "1", 2),
    ]
    assert [(field.value, field.line) for field in signals.lines] == [
        ("search=yes, x=1", 2),
        ("search=no,use=full,use=reference", 3),
    ]
    assert pickle.loads(pickle.dumps(signals)) == signals
    with pytest.raises(KeyError):
        signals["x"]


def test_signals_belong_to_their_group():
    text = "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: b\nDisallow:\n"

    assert not comity.parse(text).rules_for("b").content_signals
    assert comity.parse(text).rules_for("c").content_signals.ai_train is DISALLOW
    assert comity.parse(text).allowed("/", agent="c")


NESTED = '[{"location":"/a/","tdm-reservation":1},{"location":"/a/b/","tdm-reservation":0}]'
RESERVED = '[{"location":"/","tdm-reservation":1,"tdm-policy":"https://example.com/file"}]'

# tdmrep.json, the header's fields, the metas, the path, the preference for tdm
TDM = [
    (NESTED, {}, [], "/a/b/x", DISALLOW),
    (NESTED, {}, [], "/c", UNKNOWN),
    (NESTED, {}, [], "/A/", UNKNOWN),
    (RESERVED, {"tdm-reservation": "0"}, [], "/", ALLOW),
    (None, {"TDM-Reservation": "1"}, [("description", "0", 3)], "/", DISALLOW),
    (None, {"tdm-reservation": "1"}, [("tdm-reservation", "0", 3)], "/", ALLOW),
    (None, {"tdm-reservation": "0"}, [("TDM-Reservation", " 1 ", 3)], "/", DISALLOW),
    (None, {"tdm-reservation": "yes"}, [], "/", UNKNOWN),
    (None, {"tdm-reservation": "2"}, [], "/", UNKNOWN),
    (None, {"tdm-reservation": "0, 1"}, [], "/", DISALLOW),
    (RESERVED, {"tdm-reservation": "yes"}, [("tdm-reservation", "", 1)], "/", DISALLOW),
    ('{"location":"/","tdm-reservation":1}', {}, [], "/", UNKNOWN),
    ('[{"location":"/*.jpg$","tdm-reservation":1}]', {}, [], "/x.jpg", DISALLOW),
    ('[{"location":"/*.jpg$","tdm-reservation":1}]', {}, [], "/x.jpg?a", UNKNOWN),
    ('[{"location":"/caf%c3%a9","tdm-reservation":1}]', {}, [], "/café", DISALLOW),
    ('[{"location":"/café","tdm-reservation":1}]', {}, [], "/caf%C3%A9", DISALLOW),
    ('[{"location":"/","tdm-reservation":"1"}]', {}, [], "/", UNKNOWN),
    ('[{"location":"/","tdm-reservation":true}]', {}, [], "/", UNKNOWN),
    ('[{"location":"/","tdm-reservation":2}]', {}, [], "/", UNKNOWN),
    ('[{"location":"","tdm-reservation":1}]', {}, [], "/", UNKNOWN),
    ('[{"location":7,"tdm-reservation":1}, 3, null, [], {}, "x"]', {}, [], "/", UNKNOWN),
    ('\ufeff[{"location":"/","tdm-reservation":1}]', {}, [], "/", DISALLOW),
    # An entry that cannot be read may have been meant to reserve, so nothing after it allows.
    ('[{"location":"/a"},{"location":"/","tdm-reservation":0}]', {}, [], "/a", UNKNOWN),
    ('[{"location":"/a"},{"location":"/","tdm-reservation":1}]', {}, [], "/a", DISALLOW),
    ('[{"location":"/a"},{"location":"/","tdm-reservation":0}]', {}, [], "/b", ALLOW),
    ("not json", {}, [], "/", UNKNOWN),
    ("", {}, [], "/", UNKNOWN),
]  # fmt: skip


def page_with(metas):
    """Return a page with these META tags, one in each line."""
    lines = {
        line: f'<meta name="{escape(name)}" content="{escape(content)}">' for name, content, line in metas
    }
    return "\n".join(lines.get(number, "") for number in range(1, max(lines, default=1) + 1))


@pytest.mark.parametrize(("file", "headers", "metas", "path", "expected"), TDM)
def test_tdmrep(file, headers, metas, path, expected):
    usage = comity.usage(path, agent="b", tdmrep=file, headers=headers, html=page_with(metas))

    assert usage.preference("tdm") is usage.preference("train-ai") is expected


def test_tdm_policy_is_overridden_separately():
    def policy(**received):
        return comity.usage("/", agent="b", tdmrep=RESERVED, **received).tdm_policy

    assert policy() == "https://example.com/file"
    assert policy(headers=[("tdm-reservation", "1")]) == "https://example.com/file"
    assert policy(headers=[("tdm-policy", "https://example.com/header")]) == "https://example.com/header"
    assert (
        policy(html=page_with([("tdm-policy", "/meta", 1)]), headers=[("tdm-policy", "/header")]) == "/meta"
    )
    assert policy(headers=[("tdm-reservation", "0")]) is None


def test_tdmrep_standings_of_all_sources():
    usage = comity.usage(
        "/",
        agent="b",
        tdmrep=RESERVED,
        headers=[("tdm-reservation", "0")],
        html=page_with([("tdm-reservation", "1", 12)]),
    )

    assert [(str(one), one.standing.code) for one in usage.statements if one.category == "tdm"] == [
        ('tdmrep.json entry 1 `"location": "/"`', "closer-source"),
        ("header `tdm-reservation: 0`", "closer-source"),
        ("meta line 12 `tdm-reservation: 1`", "decides"),
    ]


# the robot, header fields, the page, the category, the preference, and its source
PAGE_RULES = [
    ("b", {}, '<meta name=robots content="noai">', "train-ai", DISALLOW, "meta line 1 `noai`"),
    ("b", {}, '<meta name=b content="NOML">', "train-ai", DISALLOW, "meta line 1 `noml`"),
    ("b", {}, '<meta name=otherbot content="noai">', "train-ai", UNKNOWN, None),
    ("b", {}, '<meta name=robots content="noimageai, noindex">', "train-ai", UNKNOWN, None),
    ("b", {"X-Robots-Tag": "noai"}, None, "train-ai", DISALLOW, "header `X-Robots-Tag: noai`"),
    ("b", {"X-Robots-Tag": "otherbot: noai"}, None, "train-ai", UNKNOWN, None),
    ("b", {"X-Robots-Tag": "noai", "Content-Usage": "train-ai=y"}, None, "train-ai", DISALLOW, "header `X-Robots-Tag: noai`"),
    ("b", {}, '<meta name=robots content="noai">', "search", UNKNOWN, None),
    # Google: nosnippet and max-snippet:0 keep a page out of the input of its answers, and of nothing else.
    ("Googlebot", {}, '<meta name=robots content="nosnippet">', "ai-input", DISALLOW, "meta line 1 `nosnippet`"),
    ("Googlebot", {}, '<meta name=robots content="max-snippet:0">', "ai-input", DISALLOW, "meta line 1 `max-snippet: 0`"),
    ("Googlebot", {}, '<meta name=robots content="max-snippet:10">', "ai-input", UNKNOWN, None),
    ("Googlebot", {}, '<meta name=robots content="nosnippet">', "train-ai", UNKNOWN, None),
    ("b", {}, '<meta name=robots content="nosnippet, noarchive">', "ai-input", UNKNOWN, None),
    # Bing (2023): noarchive and nocache speak of answers and of training.
    ("bingbot", {}, '<meta name=robots content="noarchive">', "ai-input", DISALLOW, "meta line 1 `noarchive`"),
    ("bingbot", {}, '<meta name=robots content="noarchive">', "train-ai", DISALLOW, "meta line 1 `noarchive`"),
    ("bingbot", {}, '<meta name=msnbot content="nocache">', "train-ai", UNKNOWN, None),
    ("bingbot", {}, '<meta name=robots content="noarchive, nocache">', "train-ai", DISALLOW, "meta line 1 `nocache`"),
    ("Googlebot", {}, '<meta name=robots content="noarchive">', "train-ai", UNKNOWN, None),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "headers", "html", "category", "expected", "source"), PAGE_RULES)
def test_page_rules_about_uses(agent, headers, html, category, expected, source):
    usage = comity.usage("/", agent=agent, headers=headers, html=html)

    assert usage.preference(category) is expected
    assert (str(usage.deciding(category)) if usage.deciding(category) else None) == source


def test_very_many_statements_take_bounded_time():
    """Very many equal statements count as one, and a different one among them still counts."""
    many = '<meta name="tdm-reservation" content="0">\n' * 20_000
    usage = comity.usage("/", agent="b", html=f'{many}<meta name="tdm-reservation" content="1">')
    assert usage.preference("tdm") is DISALLOW
    assert len(usage.statements) < 3_000

    usage = comity.usage("/", agent="b", headers={"tdm-reservation": "0," * 500_000 + "1"})
    assert usage.preference("tdm") is DISALLOW
    assert len(usage.statements) < 500


@pytest.mark.parametrize("source", ["robots", "headers"])
def test_statements_of_a_line_share_its_text(source):
    value = "search=yes, ai-train=no, " * 4_000 + "search=no, use=reference, search=?"
    given = {"robots": f"User-agent: *\nContent-Signal: {value}", "headers": {"Content-Signal": value}}[
        source
    ]
    tracemalloc.start()
    try:
        usage = comity.usage("/", agent="b", **{source: given})
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    found = [one for one in usage.statements if one.vocabulary == "content-signal"]
    stated = [(one.category, one.preference) for one in found]
    assert stated == [("search", ALLOW), ("train-ai", DISALLOW), ("search", DISALLOW), ("search", UNKNOWN)]
    assert len({id(one.text) for one in found}) == 1
    assert usage.preference("search") is DISALLOW


def test_the_whole_lines_at_the_start_of_an_ai_txt_are_read():
    body = b"User-agent: *\nDisallow: /a\n"
    more = b"#".ljust(ai_txt.LIMIT - len(body) - 5, b"#") + b"\nAllow: /a/b\n" + b"#" * ai_txt.LIMIT
    assert len(ai_txt.ai_txt(body + more).body) < ai_txt.LIMIT
    usage = comity.usage("/a/b", agent="b", ai_txt=body + more)
    assert usage.preference("train-ai") is DISALLOW  # the rule that would allow it crosses the limit
    assert usage.deciding("train-ai").place == 2
    assert ai_txt.ai_txt(b"#" * (ai_txt.LIMIT + 1)).body == b""
    assert len(ai_txt.ai_txt(b"\r" * ai_txt.LIMIT).body) == ai_txt.LIMIT


def test_page_is_decoded_by_its_content_type():
    html = '<meta name="tdm-reservation" content="1">'.encode("utf-16-le")
    usage = comity.usage("/", agent="b", headers={"Content-Type": "text/html; charset=utf-16le"}, html=html)

    assert usage.preference("tdm") is DISALLOW


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 600_000,
        b'[{"location":' * 60_000,
        b"[" + b"9" * 100_000 + b"]",
        b"[" + b'{"location":"/a"},' * 25_000 + b"{}]",
        b"\xff\xfe[\0]\0",
        b'[{"location":"/\\ud800","tdm-reservation":1}]',
        b'[{"location":"/' + b"*a" * 200_000 + b'b","tdm-reservation":1}]',
        b"[1e999, NaN]",
        b" " * 2_000_000,
    ],
    ids=range(9),
)
def test_hostile_tdmrep(body):
    usage = comity.usage("/" + "a" * 5_000, agent="b", tdmrep=body)

    assert usage.preference("tdm") is UNKNOWN
    assert usage.explain("tdm").isprintable()


def test_tdmrep_over_the_limit_is_not_read():
    body = RESERVED + " " * (512 * 1024)

    assert tdmrep.tdmrep(body).fault == "the file is larger than 524,288 bytes"
    assert "larger" in comity.usage("/", agent="b", tdmrep=body).explain("tdm")


def test_parsed_files_are_accepted():
    file, rules = tdmrep.tdmrep(RESERVED), ai_txt.ai_txt("User-agent: *\nDisallow: *.jpg")

    assert comity.usage("/x", agent="b", tdmrep=file, ai_txt=rules) == comity.usage(
        "/x", agent="b", tdmrep=RESERVED, ai_txt="User-agent: *\nDisallow: *.jpg"
    )


# ai.txt, the robot, the path, the preferences for train-ai
AI_TXT = [
    ("User-Agent: *\nDisallow: *.jpg", "b", "/img/x.jpg", DISALLOW),
    ("User-Agent: *\nDisallow: *.jpg", "b", "/img/x.png", UNKNOWN),
    ("# Spawning AI\nUser-Agent: *\nDisallow: *.txt\nDisallow: /\nDisallow: *", "b", "/x.png", DISALLOW),
    ("User-Agent: *\nDisallow: *.jpg\nAllow: *.py", "b", "/x.py", ALLOW),
    ("User-Agent: b\nDisallow: /\n\nUser-agent: *\nAllow: /", "b", "/x", DISALLOW),
    ("User-Agent: *\nDisallow: /", "b", "/robots.txt", DISALLOW),
    ("<html>not found</html>", "b", "/x", UNKNOWN),
    (b"\xff\xfe\0", "b", "/x", UNKNOWN),
]


@pytest.mark.parametrize(("body", "agent", "path", "expected"), AI_TXT)
def test_ai_txt(body, agent, path, expected):
    usage = comity.usage(path, agent=agent, ai_txt=body)

    assert usage.preference("train-ai") is expected
    assert usage.crawlable


ACAP = "##ACAP version=1.1\nUser-agent: *\nDisallow: /a\nACAP-crawler: *\n"

# ACAP lines, the path, whether crawling is permitted when ACAP is asked for
CRAWLING = [
    ("ACAP-disallow-crawl: /b", "/b/x", False),
    ("ACAP-disallow-crawl: /b", "/c", True),
    ("ACAP-disallow-crawl: /b\nACAP-allow-crawl: /b/open", "/b/open/x", True),
    ("ACAP-allow-crawl: /a", "/a", False),
    ("ACAP-disallow-crawl: /b\nACAP-allow-crawl: /b/open time-limit=1", "/b/open/x", False),
    ("ACAP-disallow-crawl: /b time-limit=1", "/b", False),
    ("ACAP-disallow-index: /b\nACAP-disallow-preserve: /b\nACAP-disallow-present-snippet: /b", "/b", True),
    ("ACAP-disallow-mirror: /b", "/b", False),
    ("ACAP-qualified-usage: some crawl time-limit=1\nACAP-disallow-(some): /b", "/b", False),
    ("ACAP-qualified-usage: some preserve time-period=1\nACAP-disallow-(some): /b", "/b", True),
    ("ACAP-disallow-(other): /b", "/b", False),
    ("ACAP-disallow-crawl: /\nACAP-qualified-usage: s crawl x=1\nACAP-allow-(s): /b", "/b", False),
    ("ACAP-usage-purpose: news\nACAP-disallow-crawl: /\nACAP-allow-crawl: /b", "/b", False),
    ("ACAP-usage-purpose: *\nACAP-disallow-crawl: /\nACAP-allow-crawl: /b", "/b", True),
    ("ACAP-disallow-crawl: the-archive", "/b", False),
    ("ACAP-disallow-crawl:", "/b", True),
    ("ACAP-crawler: c\nACAP-disallow-crawl: /b", "/b", False),
    ("ACAP-allow-crawl: /\nACAP-crawler: b\nACAP-disallow-crawl: /b", "/b", False),
    ("ACAP-allow-crawl: /\nACAP-crawler: c\nACAP-disallow-crawl: /b", "/b", True),
]


@pytest.mark.parametrize(("lines", "path", "permitted"), CRAWLING)
def test_acap(lines, path, permitted):
    robots = comity.parse(ACAP + lines)
    usage = comity.usage(path, agent="b", robots=robots, acap=True)

    assert usage.permits("crawl") is usage.crawlable is usage.permits("train-ai") is permitted
    assert comity.usage(path, agent="b", robots=robots).permits("crawl") is robots.allowed(path, agent="b")


def test_acap_and_control_tokens_need_the_whole_file():
    robots = comity.parse(ACAP)
    for asked in ({"acap": True}, {"control_token": "x"}):
        for rules in (robots.rules_for("b"), None):
            with pytest.raises(TypeError, match="give the whole robots.txt"):
                comity.usage("/", agent="b", robots=rules, **asked)
    with pytest.raises(TypeError, match="usage needs an agent"):
        comity.usage("/", robots=robots)


def test_control_tokens_disallow_only_training():
    robots = comity.parse("User-agent: Google-Extended\nDisallow: /\n\nUser-agent: Applebot\nDisallow: /")
    google = comity.usage("/a", agent="Googlebot", robots=robots, control_token="Google-Extended")
    apple = comity.usage("/a", agent="Applebot", robots=robots, control_token="Applebot-Extended")

    assert (google.crawlable, google.permits("search"), google.permits("train-ai")) == (True, True, False)
    assert google.deciding("train-ai").place == 2
    assert (apple.crawlable, apple.preference("train-ai"), apple.permits("train-ai")) == (
        False,
        UNKNOWN,
        False,
    )


def test_uncrawlable_url_has_no_preference_in_robots_txt():
    robots = comity.parse("User-agent: *\nDisallow: /x\nContent-Usage: train-ai=y\nContent-Signal: search=no")
    usage = comity.usage("/x", agent="b", robots=robots, headers=[("Content-Usage", "search=y")])

    assert [one.standing.code for one in usage.statements] == [
        "decides",
        "uncrawlable",
        "uncrawlable",
        "decides",
    ]
    assert [usage.preference(name) for name in ("train-ai", "search", "crawl")] == [UNKNOWN, ALLOW, DISALLOW]
    assert not any(usage.permits(category) for category in usage.categories)
    assert usage.explain("train-ai").startswith(
        "b may not fetch the URL by robots.txt line 2 `Disallow: /x`; train-ai is"
    )


def test_only_if_allowed():
    usage = comity.usage("/", agent="b", headers=[("Content-Usage", "train-ai=n, search=y")])

    assert [usage.permits(name) for name in ("train-ai", "search", "ai-input")] == [False, True, True]
    assert [usage.permits(name, only_if_allowed=True) for name in ("train-ai", "search", "ai-input")] == [
        False, True, False,
    ]  # fmt: skip


def access(outcome, body=b""):
    from comity.protocol.access.fetch import Fetch

    fetch = Fetch("https://example.com/")
    if fetch.receive(outcome, [("content-type", "text/plain")], now=0.0):
        fetch.data(body)
        fetch.finish(now=0.0)
    return fetch.access


def test_robots_as_access():
    body = b"User-agent: *\nContent-Usage: /a train-ai=n\nACAP-crawler: *\nACAP-disallow-crawl: /b"

    def ask(outcome, path, **asked):
        return comity.usage(f"https://example.com{path}", agent="b", robots=access(outcome, body), **asked)

    assert ask(200, "/a").preference("train-ai") is DISALLOW
    assert ask(200, "/b", acap=True).crawlable is False
    assert ask(404, "/a").permits("train-ai")
    assert not ask(503, "/a").permits("train-ai")
    assert "answers 503" in ask(503, "/a").explain("train-ai")
    with pytest.raises(comity.InvalidURL):
        comity.usage("https://example.org/", agent="b", robots=access(200, body))


def test_usage_is_a_value_and_has_a_record():
    robots = comity.parse(ALL + "/ai/ train-ai=n\nContent-Signal: ai-train=yes")
    usage = comity.usage("/ai/\x1b", agent="b", robots=robots, tdmrep=RESERVED)
    record = json.loads(json.dumps(usage.record()))

    assert pickle.loads(pickle.dumps(usage)) == usage
    assert hash(usage) == hash(comity.usage("/ai/\x1b", agent="b", robots=robots, tdmrep=RESERVED))
    assert record["preferences"] == {
        "train-ai": "disallow", "search": "unknown", "ai-input": "unknown", "ai-index": "unknown",
        "tdm": "disallow", "crawl": "allow",
    }  # fmt: skip
    assert record["statements"][1] == {
        "vocabulary": "content-usage",
        "source": "robots.txt",
        "place": 2,
        "text": "Content-Usage: /ai/ train-ai=n",
        "category": "train-ai",
        "preference": "disallow",
        "standing": "decides",
        "policy": None,
    }
    assert [one["standing"] for one in record["statements"]] == [
        "decides", "decides", "disallow-wins", "decides", "agrees",
    ]  # fmt: skip
    assert record["url"] == r"/ai/\x1b"
    assert record["statements"][-1]["policy"] == usage.tdm_policy == "https://example.com/file"


def test_explain():
    robots = comity.parse(
        ALL + "".join(f"/{'a' * n} train-ai={'ny'[n % 2]}\nContent-Usage: " for n in range(9))
    )
    usage = robots.rules_for("b").usage("/" + "a" * 9)

    assert usage.explain("train-ai") == (
        "train-ai is disallowed by robots.txt line 10 `Content-Usage: /aaaaaaaa train-ai=n`; robots.txt line 9 "
        "`Content-Usage: /aaaaaaa train-ai=y`: it is replaced by a Content-Usage rule with a longer path; robots.txt "
        "line 8 `Content-Usage: /aaaaaa train-ai=n`: it is replaced by a Content-Usage rule with a longer path; "
        "robots.txt line 7 `Content-Usage: /aaaaa train-ai=y`: it is replaced by a Content-Usage rule with a longer "
        "path; 6 more"
    )
    assert usage.explain("ai-input") == "no statement about ai-input"
    assert usage.explain("crawl").startswith("crawl is allowed by robots.txt (no rule has a path")


def test_pickled_rules_keep_their_usage():
    rules = comity.parse(ALL + "/ai/ train-ai=n\nContent-Signal: search=no").rules_for("b")
    again = pickle.loads(pickle.dumps(rules))

    assert again.usage("/ai/") == rules.usage("/ai/")
    assert again.content_signals == rules.content_signals


def test_many_rules_use_an_index():
    body = "User-agent: *\n" + "".join(f"Content-Usage: /{n}/ train-ai=n\n" for n in range(20_000))
    rules = comity.parse(body).rules_for("b")

    assert all(rules.usage(f"/{n}/x").deciding("train-ai").place == n + 2 for n in range(0, 20_000, 500))
    assert rules.usage("/x").preference("train-ai") is UNKNOWN


@pytest.mark.parametrize(
    "value", ["/" + "*a" * 50_000 + "b train-ai=n", "a," * 50_000, "train-ai=n" + ";x" * 50_000]
)
def test_hostile_values_of_content_usage(value):
    robots = comity.parse(ALL + value)

    assert robots.rules_for("b").usage("/" + "a" * 10_000).preference("search") is UNKNOWN
    assert len(robots.diagnostics) < 400_000


@given(patterns, paths, dialects)
def test_paths_match_as_in_disallow(pattern, path, dialect):
    """A Content-Usage rule matches the same paths as a Disallow."""
    if not pattern.startswith("/") or any(character in pattern for character in " \t#"):
        return
    closing = comity.parse(f"User-agent: *\nDisallow: {pattern}", dialect=dialect).rules_for("b")
    speaking = comity.parse(f"{ALL}{pattern} train-ai=n", dialect=dialect).rules_for("b")

    assert (speaking.usage(path).preference("train-ai") is DISALLOW) is not closing.allowed(path)


received = st.fixed_dictionaries(
    {
        "headers": st.lists(
            st.tuples(
                st.sampled_from(["Content-Usage", b"content-signal", "TDM-Reservation", "tdm-policy", "X-Robots-Tag", "x"]),
                st.sampled_from(["train-ai=n", "train-ai=y, search=n", "1", "0", "ai-train=no", "noai", "é,\x00"]) | st.text() | st.binary(),
            ),
            max_size=4,
        ),
        "html": st.none() | st.binary() | st.lists(
            st.tuples(
                st.sampled_from(["tdm-reservation", "TDM-Policy", "robots", "examplebot"]),
                st.sampled_from(["0", "1", "noai", "noindex, noarchive"]) | st.text(),
                st.integers(1, 3),
            ),
            max_size=2,
        ).map(page_with),
        "tdmrep": st.none() | st.binary() | st.just(RESERVED.encode()) | st.recursive(
            st.none() | st.booleans() | st.integers() | st.sampled_from(["/", "/a", "1"]),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["location", "tdm-reservation", "tdm-policy"]), inner, max_size=3),
        ).map(json.dumps),
        "ai_txt": st.none() | bodies,
        "acap": st.booleans(),
        "control_token": st.none() | st.just("ExampleBot"),
    }
)  # fmt: skip

usage_lines = st.lists(
    st.sampled_from(
        [
            "User-agent: *", "User-agent: ExampleBot", "Disallow: /a", "Content-Usage: train-ai=n", "Content-Usage: /a train-ai=y",
            "Content-Usage: /* search=n, x", "Content-Usage: /b N=", "Content-Signal: ai-train=no", "Content-Signal: use=reference",
            "ACAP-crawler: *", "ACAP-disallow-crawl: /b", "ACAP-allow-(x): /b", "ACAP-usage-purpose: x", "ACAP-allow: /",
        ]
    ),
    max_size=8,
).map("\n".join)  # fmt: skip


@given(usage_lines.map(str.encode) | bodies, received, paths, dialects)
def test_any_input_is_accepted(body, received, path, dialect):
    robots = comity.parse(body, dialect=dialect)
    usage = comity.usage(path, agent="ExampleBot", robots=robots, **received)

    assert usage.verdict == robots.check(path, agent="ExampleBot")
    assert usage.crawlable or not usage.permits("search")
    assert robots.allowed(path, agent="ExampleBot") or not usage.crawlable
    json.dumps(usage.record())
    for category, preference in usage.preferences.items():
        about = [one for one in usage.statements if one.category == category]
        able = [one for one in about if one.standing.code in ("decides", "agrees", "disallow-wins")]
        assert combined(one.preference for one in able) is preference
        assert sum(one.standing is comity.protocol.usage.Standing.DECIDES for one in about) == (
            preference is not UNKNOWN
        )
        assert usage.explain(category).isprintable()


@given(usage_lines, paths)
def test_a_further_disallow_never_allows(lines, path):
    """One more statement against a use never leads to more uses."""
    robots = comity.parse(lines)
    before = comity.usage(path, agent="b", robots=robots)
    after = comity.usage(path, agent="b", robots=robots, headers=[("Content-Usage", "train-ai=n")])

    assert not after.permits("train-ai")
    assert all(before.permits(name) or not after.permits(name) for name in before.categories)
