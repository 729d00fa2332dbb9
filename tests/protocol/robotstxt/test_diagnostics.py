"""Every diagnostic: when it comes, and where it points."""

from pathlib import Path

import pytest

import comity
import comity.agents
from comity.protocol.robotstxt.diagnostics.diagnostic import KINDS
from comity.protocol.robotstxt.diagnostics.file import NAMES_OF_SEVERAL_WORDS

UA = "User-agent: *\n"

# name, dialect, file, (line, column, end_column)
CASES = [
    ("absolute-url-in-rule", "rfc9309", UA + "Disallow: https://example.com/x", (2, 11, 32)),
    ("agent-with-version", "rfc9309", "User-agent: FooBot/1.0\nDisallow: /", (1, 19, 23)),
    ("agent-with-version", "google", "User-agent: FooBot (beta)\nDisallow: /", (1, 19, 26)),
    (
        "agent-is-header",
        "rfc9309",
        "User-agent: Mozilla/5.0 (compatible; FooBot/1.0)\nDisallow: /",
        (1, 13, 49),
    ),
    ("agent-not-a-token", "rfc9309", "User-agent: MJ12bot\nDisallow: /", (1, 15, 20)),
    ("agent-not-a-token", "rfc9309", "User-agent: panscient.com\nDisallow: /", (1, 22, 26)),
    ("agent-with-space", "rfc9309", "User-agent: Example Bot\nDisallow: /", (1, 20, 24)),
    ("agent-with-space", "rfc9309", "User-agent: *: Disallow: /", (1, 13, 27)),
    ("agent-with-wildcard", "rfc9309", "User-agent: *bot*\nDisallow: /", (1, 13, 18)),
    ("quoted-value", "rfc9309", 'User-agent: "FooBot"\nDisallow: /', (1, 13, 21)),
    ("agent-cut", "rfc9309", "User-agent: Foo!Bot\nDisallow: /", (1, 16, 20)),
    ("agent-cut", "google", "User-agent: MJ12bot/1.0\nDisallow: /", (1, 15, 24)),
    ("agent-cut", "google", "User-agent: MJ12bot\nDisallow: /", (1, 15, 20)),
    ("agent-list", "rfc9309", "User-agent: FooBot, BarBot\nDisallow: /", (1, 19, 27)),
    ("agent-list", "rfc9309", "User-agent: *, BarBot\nDisallow: /", (1, 13, 22)),
    ("agent-cut", "google", "User-agent: * x\nDisallow: /", (1, 13, 16)),
    ("byte-order-mark", "rfc9309", "\ufeffUser-agent: *\nDisallow: /", (1, 1, 1)),
    ("control-character", "rfc9309", UA + "Disallow: /a\x01b", (2, 13, 14)),
    ("control-character", "google", UA + "Disallow: /a\0b", (2, 13, 14)),
    ("dollar-not-last", "rfc9309", UA + "Disallow: /a$?b", (2, 13, 14)),
    ("empty-agent", "rfc9309", "User-agent:\nDisallow: /", (1, 1, 11)),
    ("empty-allow", "rfc9309", UA + "Allow:\nDisallow: /", (2, 1, 6)),
    ("field-outside-group", "rfc9309", "Crawl-delay: 3\n" + UA + "Disallow: /", (1, 1, 12)),
    ("file-too-large", "rfc9309", UA + "Disallow: /a\n" * 40_000, (39385, 1, 13)),
    ("group-without-rules", "rfc9309", "User-agent: FooBot # us", (1, 1, 19)),
    ("group-without-rules", "rfc9309", "User-agent: FooBot\nCrawl-delay: 1", (1, 1, 19)),
    ("misnamed-agent", "rfc9309", "User-agent: Google\nDisallow: /", (1, 13, 19)),
    ("misnamed-agent", "google", "User-agent: Yahoo! Slurp\nDisallow: /", (1, 13, 25)),
    ("misnamed-agent", "1994", "User-agent: MSN/2.0\nDisallow: /", (1, 13, 20)),
    ("group-without-rules", "rfc9309", "User-agent: FooBot\n# Disallow: /", (1, 1, 19)),
    ("group-without-rules", "1994", "User-agent: a\n\nDisallow: /\n\nUser-agent: b\nDisallow: /", (1, 1, 14)),
    ("binary-file", "rfc9309", "GIF89a\0\n", (1, 1, 8)),
    ("web-page", "rfc9309", "\n<!DOCTYPE html>\n<p>Not found</p>", (2, 1, 16)),
    ("ignored-in-dialect", "1994", UA + "Allow: /a\nDisallow: /", (2, 1, 6)),
    ("invalid-escape", "rfc9309", UA + "Disallow: /a%2Fb%zz", (2, 17, 18)),
    ("invalid-value", "rfc9309", UA + "Disallow: /\nCrawl-delay: soon", (3, 14, 18)),
    ("invalid-value", "rfc9309", UA + "Disallow: /\nCrawl-delay:", (3, 1, 12)),
    ("invalid-value", "rfc9309", UA + "Disallow: /\nRequest-rate: 0/5", (3, 15, 18)),
    ("invalid-value", "rfc9309", UA + "Disallow: /\nVisit-time: 2542-3199", (3, 13, 22)),
    ("single-minute", "rfc9309", UA + "Disallow: /\nVisit-time: 0600-0600", (3, 13, 22)),
    ("single-minute", "rfc9309", UA + "Disallow: /\nRequest-rate: 1/5 0600-0600", (3, 15, 28)),
    ("invalid-value", "rfc9309", UA + "Disallow: /\nContent-Signal:", (3, 1, 15)),
    ("invalid-value", "rfc9309", UA + "Content-Usage: /a", (2, 16, 18)),
    (
        "usage-between-agents",
        "rfc9309",
        UA + "Content-Usage: search=n\nUser-agent: b\nDisallow: /",
        (2, 1, 14),
    ),
    ("invalid-value", "rfc9309", UA + "Content-Usage:", (2, 1, 14)),
    ("invalid-value", "rfc9309", UA + "Content-Usage: /a train-ai=n, Search=y # no", (2, 31, 39)),
    ("invalid-value", "rfc9309", UA + "Content-Usage: train-ai=n,", (2, 26, 27)),
    ("invalid-value", "google", UA + "Content-Usage: *.gif train-ai=n", (2, 22, 32)),
    ("invalid-escape", "rfc9309", UA + "Content-Usage: /a%zz train-ai=n", (2, 18, 19)),
    ("unknown-preference", "rfc9309", UA + "Content-Usage: /a train-ai=N;x=1, search=y", (2, 19, 29)),
    ("unknown-preference", "rfc9309", UA + 'Content-Usage: search="n"', (2, 16, 26)),
    ("unknown-preference", "rfc9309", UA + "Content-Signal: search=yes, ai-train = never", (2, 29, 45)),
    ("unknown-preference", "rfc9309", UA + "Content-Signal: ai-train", (2, 17, 25)),
    ("unknown-preference", "rfc9309", UA + "Content-Signal: use=some", (2, 17, 25)),
    ("unknown-label", "rfc9309", UA + "Content-Usage: train-ai=n, traim-ai=n", (2, 28, 38)),
    ("unknown-label", "1994", UA + "Content-Usage: genai=n", (2, 16, 23)),
    ("unknown-label", "rfc9309", UA + "Content-Signal: train-ai=no", (2, 17, 28)),
    (
        "conflicting-signals",
        "rfc9309",
        UA + "Content-Signal: search=yes\nContent-Signal: search=no",
        (3, 17, 26),
    ),
    (
        "conflicting-signals",
        "rfc9309",
        UA + "Content-Signal: use=full,ai-train=no, USE=Immediate",
        (2, 39, 52),
    ),
    ("sitemap-not-absolute", "rfc9309", "Sitemap: http:// x", (1, 10, 19)),
    ("obsolete-field", "rfc9309", "Host: a", (1, 1, 5)),
    ("repeated-host", "rfc9309", "Host: a.example\nHost: b.example", (2, 7, 16)),
    ("sitemap-not-absolute", "rfc9309", "Sitemap: /sitemap.xml", (1, 10, 22)),
    ("invalid-value", "rfc9309", "Clean-param: /x ref", (1, 14, 20)),
    ("line-too-long", "rfc9309", UA + "Disallow: /" + "a" * 17_000, (2, 16664, 17012)),
    ("misplaced-byte-order-mark", "rfc9309", UA + "\ufeffDisallow: /", (2, 1, 2)),
    ("misspelt-field", "rfc9309", UA + "Disalow: /", (2, 1, 8)),
    ("misspelt-field", "google", UA + "Disallowed: /", (2, 1, 11)),
    ("missing-colon", "rfc9309", UA + " Disallow /", (2, 2, 10)),
    ("not-a-field", "rfc9309", UA + "Disallow: /\nKeep out!", (3, 1, 10)),
    ("not-a-field", "1994", UA + "Disallow: /\nDisallow /x", (3, 1, 12)),
    ("path-without-slash", "rfc9309", UA + "Disallow: private", (2, 11, 18)),
    ("path-without-slash", "draft1996", UA + "Disallow: *.gif", (2, 11, 16)),
    ("rule-outside-group", "rfc9309", "Disallow: /x\n" + UA + "Disallow: /", (1, 1, 9)),
    ("rule-outside-group", "1994", UA + "Disallow: /a\n\nDisallow: /b", (4, 1, 9)),
    ("regular-expression", "rfc9309", UA + "Disallow: ^/a", (2, 11, 14)),
    ("path-without-slash", "1994", UA + "Disallow: ^/a", (2, 11, 14)),
    ("quoted-value", "rfc9309", UA + 'Disallow: "/a b"', (2, 11, 17)),
    ("quoted-value", "rfc9309", "Sitemap: <https://example.com/s>", (1, 10, 33)),
    ("space-in-path", "rfc9309", UA + "Disallow: /a b", (2, 13, 14)),
    ("several-paths", "rfc9309", UA + "Disallow: /a /b", (2, 14, 16)),
    ("foreign-comment", "rfc9309", UA + "// a: b\nDisallow: /", (2, 1, 8)),
    ("obsolete-field", "rfc9309", UA + "Nofollow: /\nDisallow: /", (2, 1, 9)),
    ("unknown-field", "rfc9309", "https://example.com/sitemap.xml", (1, 1, 32)),
    ("unknown-field", "rfc9309", UA + "Disallow: /\nFoo: bar", (3, 1, 4)),
    ("unknown-field", "rfc9309", UA + "Disallow: /\nDisallowed: /x", (3, 1, 11)),
]


@pytest.mark.parametrize(
    ("name", "dialect", "text", "place"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)]
)
def test_diagnostic_points_at_the_problem(name, dialect, text, place):
    found = comity.parse(text.encode(), dialect=dialect).diagnostics

    assert place in [(it.line, it.column, it.end_column) for it in found if it.name == name], found


@pytest.mark.parametrize(
    ("line", "column", "start"),
    [
        (b"Disallow: /a b", 13, 12),
        ("Disallow: /é b".encode(), 13, 13),
        ("Disallow: /\u4f60\U0001f916 b".encode(), 14, 18),
        (b"Disallow: /\xe9 b", 13, 12),
        (b"\xef\xbb\xbfDisallow: /a b", 13, 15),
        ("\ufeffDisallow: /é b".encode(), 13, 16),
    ],
)
def test_columns_count_characters_and_offsets_count_bytes(line, column, start):
    robots = comity.parse(line + b"\n" + line[3 * line.startswith(b"\xef\xbb\xbf") :])
    first, second = [it for it in robots.diagnostics if it.name == "space-in-path"]

    assert (first.line, first.column, first.end_column) == (1, column, column + 1)
    assert (second.line, second.column, second.end_column) == (2, column, column + 1)
    assert (first.start, first.end) == (start, start + 1)
    assert robots.body[second.start : second.end] == b" "


def test_bytes_that_are_not_utf_8():
    (problem,) = comity.parse(b"User-agent: *\nDisallow: /caf\xe9").diagnostics

    assert (problem.name, problem.line, problem.column) == ("not-utf-8", 2, 15)


def test_utf_16():
    body = "User-agent: *\nDisallow: /".encode("utf-16")

    assert "utf-16" in [problem.name for problem in comity.parse(body).diagnostics]


def test_every_kind_has_a_case():
    tested_below = {"not-utf-8", "utf-16"}

    assert {name for name, *_ in CASES} | tested_below == set(KINDS)


def test_kinds_have_unique_codes_and_known_severities():
    assert [kind.code for kind in KINDS.values()] == sorted({kind.code for kind in KINDS.values()})
    assert {kind.severity for kind in KINDS.values()} == {"error", "warning", "information"}


def test_clean_file_has_no_diagnostics():
    text = (
        "# All is well.\nUser-agent: ExampleBot\nUser-agent: *\nDisallow: /a/\nAllow: /*.html$\nCrawl-delay: 0.5\n"
        "Request-rate: 1/10m 0600-1800\nVisit-time: 2200-0600\nContent-Signal: ai-train=no\n"
        "Content-Usage: /a train-ai=n\n\nSitemap: https://example.com/s.xml\nClean-param: ref /a\nHost: example.com\n"
    )

    assert comity.parse(text).diagnostics == ()


@pytest.mark.parametrize(
    ("line", "intended"),
    [
        ("Dissalow : /", None),
        ("Disallo: /", "Disallow"),
        ("Disallows: /", "Disallow"),
        ("Dsiallow: /", "Disallow"),
        ("Alow: /", "Allow"),
        ("User_agent: *", "User-agent"),
        ("Sitemaps: x", "Sitemap"),
        ("Crawl_delay: 1", "Crawl-delay"),
        ("License: x", None),
    ],
)
def test_unknown_field_suggests_known_one(line, intended):
    messages = [it.message for it in comity.parse(line).diagnostics if it.name == "unknown-field"]

    assert [f"did you mean {intended}?" in message for message in messages] == (
        [True] if intended else [False] * len(messages)
    )


def test_messages_are_printable():
    for problem in comity.parse("\x1b[31mDisallow\x07: \x1b]0;x\x07\nFoo\x1b: x").diagnostics:
        assert problem.message.isprintable()


def test_diagnostics_are_in_order():
    problems = comity.parse("Foo: x\nDisallow: y\nUser-agent: a/1\nDisalow: b$c%d").diagnostics

    assert [(it.line, it.column) for it in problems] == sorted((it.line, it.column) for it in problems)


@pytest.mark.parametrize(
    "value", ["*, b", "b, *", "*; b", "a/1, b", "a b, c", "a*, b", "**, b", "MJ12bot, b"]
)
def test_messages_about_a_list_agree_with_the_answers(value):
    robots = comity.parse(f"User-agent: {value}\nDisallow: /")
    closed = [name for name in ("a", "b", "c", "MJ12bot", "other") if not robots.allowed("/", agent=name)]

    for problem in robots.diagnostics:
        assert ("applies to no robot" in problem.message) is not bool(closed), problem.message
        if "read only `" in problem.message:
            assert problem.message.split("`")[1] in closed


def test_content_usage_between_names_is_reported_once_for_each_end():
    text = "User-agent: a\nContent-Usage: search=n\nContent-Usage: train-ai=n\nUser-agent: b\n"
    third = "Content-Usage: search=y\nUser-agent: c\n"
    problems = comity.parse(text + third + "Disallow: /x").diagnostics

    assert [(problem.line, problem.name) for problem in problems] == [
        (2, "usage-between-agents"),
        (5, "usage-between-agents"),
    ]
    assert not comity.parse(text + third).diagnostics  # without rules nothing differs


def test_line_limit_of_custom_dialect():
    dialect = comity.protocol.robotstxt.RFC9309.replace(name="own", line_limit=14)
    (problem,) = comity.parse(UA + "Disallow: /abcdefgh", dialect=dialect).diagnostics

    assert (problem.name, problem.line, problem.column) == ("line-too-long", 2, 15)


@pytest.mark.parametrize("dialect", ["draft1996", "1994"])
def test_names_compared_as_a_whole_are_not_reported(dialect):
    assert (
        comity.parse("User-agent: Foo Bot/1\nDisallow: /a b", dialect=dialect).diagnostics[0].name
        == "space-in-path"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Disallow: private", "write `/private`"),
        ("Disallow: index.html", "write `/index.html`"),
        ("Disallow: private/a.html", "write `/private/a.html`"),
        ("Disallow: community.example.com/t5", "to its own host only"),
        ("Disallow: www.example.com", "to its own host only"),
        ("Disallow: https://uat.example.com/*", "to its own host only"),
        ("Disallow: https://uat.example.com/", "to its own host only"),
        ("Disallow: https://example.com/private", "to its own host only"),
        ("Allow: Sitemap: https://example.com/a.xml", "in its own line"),
        ("Disallow: Allow: /a", "in its own line"),
        ("Disallow: $", "matches nothing"),
    ],
)
def test_message_suggests_no_rule_that_closes_too_much(line, expected):
    """A path of another host, or one that would close the whole site, is not suggested."""
    spaces = ("space-in-path", "several-paths")
    (problem,) = (it for it in comity.parse(UA + line).diagnostics if it.name not in spaces)

    assert expected in problem.message
    assert ("write" in problem.message) == expected.startswith("write")


def test_missing_line_break_in_a_field_name():
    (problem,) = comity.parse("GPTBot Disallow: /").diagnostics

    assert problem.message.endswith("so the line is ignored; is a line break missing before Disallow?")


@pytest.mark.parametrize("value", ["*: Disallow: /", "FooBot Disallow: /", "FooBot Sitemap : x"])
def test_missing_line_break_after_a_name(value):
    (problem,) = (it for it in comity.parse(f"User-agent: {value}").diagnostics if it.severity == "warning")

    assert problem.name == "agent-with-space"
    assert problem.message.startswith("a line break is missing before ")


@pytest.mark.parametrize(
    "text",
    [
        b"User-agent: Kangaroo Bot\nDisallow: /",
        b"User-agent: Screaming Frog SEO Spider/20.1\nDisallow: /",
        b"User-agent: AdsBot-Google*\nDisallow: /",
        b"User-agent: *\nDisallow: /a # caf\xe9",
        b"User-agent: *\nDisallow: / # " + b"x" * 20_000,
        b"User-agent: *\nDisallow: /b\nContent-Usage: /a$b train-ai=n",
    ],
)
def test_intended_lines_have_no_diagnostic(text):
    assert comity.parse(text).diagnostics == ()


def test_names_of_several_words_are_those_of_the_catalogue():
    known = {agent.token.lower().encode() for agent in comity.agents.ALL if " " in agent.token}
    assert known == NAMES_OF_SEVERAL_WORDS


@pytest.mark.parametrize(
    "name", ["robots.txt", "/srv/www/robots.txt", "C:\\www\\robots.txt", "My Site/Robots.TXT"]
)
def test_file_name_as_content_is_reported(name):
    """`parse` never raises on content, but it says why a name answers nothing. For `str` it also warns."""
    (problem,) = comity.parse(name.encode()).diagnostics
    assert problem.message.endswith("it looks like a file name: pass the content of the file")
    assert any(finding.message == problem.message for finding in comity.lint(name.encode()))


@pytest.mark.parametrize(
    "text",
    ["robots.txt\n", "User-agent: a.txt", "Keep out", "# robots.txt", "Sitemap: https://e.example/a.txt"],
)
def test_other_content_is_not_taken_for_a_file_name(text):
    assert not any("file name" in problem.message for problem in comity.parse(text.encode()).diagnostics)


@pytest.mark.parametrize("take", [comity.parse, comity.lint, comity.tidy, comity.minimize])
def test_path_is_refused_with_advice(take):
    with pytest.raises(TypeError, match=r"expected bytes or str, got .*Path; pass its read_bytes\(\)"):
        take(Path("robots.txt"))


@pytest.mark.parametrize("take", [comity.product_token, comity.agents.find])
@pytest.mark.parametrize("header", [None, b"ExampleBot", 5])
def test_header_of_another_type_is_refused(take, header):
    with pytest.raises(TypeError, match="user_agent: expected a str, not"):
        take(header)
