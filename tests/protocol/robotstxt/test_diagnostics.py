"""Every diagnostic: when it comes, and where it points."""

from pathlib import Path

import pytest

import comity
from comity.protocol.robotstxt.diagnostics import CODES

UA = "User-agent: *\n"

# code, dialect, file, (line, column, end_column)
CASES = [
    ("absolute-url-in-rule", "rfc9309", UA + "Disallow: https://example.com/x", (2, 11, 32)),
    ("agent-cut", "rfc9309", "User-agent: FooBot/1.0\nDisallow: /", (1, 19, 23)),
    ("agent-not-a-token", "rfc9309", "User-agent: MJ12bot\nDisallow: /", (1, 15, 20)),
    ("agent-not-a-token", "rfc9309", "User-agent: Example Bot\nDisallow: /", (1, 20, 24)),
    ("agent-cut", "google", "User-agent: MJ12bot\nDisallow: /", (1, 15, 20)),
    ("agent-cut", "rfc9309", "User-agent: FooBot, BarBot\nDisallow: /", (1, 19, 27)),
    ("agent-cut", "google", "User-agent: * x\nDisallow: /", (1, 13, 16)),
    ("byte-order-mark", "rfc9309", "\ufeffUser-agent: *\nDisallow: /", (1, 1, 4)),
    ("control-character", "rfc9309", UA + "Disallow: /a\x01b", (2, 13, 14)),
    ("control-character", "google", UA + "Disallow: /a\0b", (2, 13, 14)),
    ("dollar-not-last", "rfc9309", UA + "Disallow: /a$b", (2, 13, 14)),
    ("empty-agent", "rfc9309", "User-agent:\nDisallow: /", (1, 1, 11)),
    ("empty-allow", "rfc9309", UA + "Allow:\nDisallow: /", (2, 1, 6)),
    ("field-outside-group", "rfc9309", "Crawl-delay: 3\n" + UA + "Disallow: /", (1, 1, 12)),
    ("file-too-large", "rfc9309", UA + "Disallow: /a\n" * 40_000, (39385, 1, 13)),
    ("group-without-rules", "rfc9309", "User-agent: FooBot # us", (1, 1, 19)),
    ("html", "rfc9309", "\n<!DOCTYPE html>\n<p>Not found</p>", (2, 1, 16)),
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
    ("invalid-value", "rfc9309", UA + "Content-Usage:", (2, 1, 14)),
    ("invalid-value", "rfc9309", UA + "Content-Usage: /a train-ai=n, Search=y # no", (2, 31, 39)),
    ("invalid-value", "rfc9309", UA + "Content-Usage: train-ai=n,", (2, 26, 27)),
    ("invalid-value", "google", UA + "Content-Usage: *.gif train-ai=n", (2, 22, 32)),
    ("invalid-escape", "rfc9309", UA + "Content-Usage: /a%zz train-ai=n", (2, 18, 19)),
    ("dollar-not-last", "rfc9309", UA + "Content-Usage: /a$b train-ai=n", (2, 18, 19)),
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
    ("invalid-value", "rfc9309", "Host: example.com:99999", (1, 7, 24)),
    ("invalid-value", "rfc9309", "Sitemap: http:// x", (1, 10, 19)),
    ("repeated-host", "rfc9309", "Host: a.example\nHost: b.example", (2, 7, 16)),
    ("invalid-value", "rfc9309", "Sitemap: /sitemap.xml", (1, 10, 22)),
    ("invalid-value", "rfc9309", "Host: 192.0.2.1", (1, 7, 16)),
    ("invalid-value", "rfc9309", "Clean-param: /x ref", (1, 14, 20)),
    ("line-too-long", "rfc9309", UA + "Disallow: /" + "a" * 17_000, (2, 16664, 17012)),
    ("misplaced-byte-order-mark", "rfc9309", UA + "\ufeffDisallow: /", (2, 1, 4)),
    ("misspelt-field", "rfc9309", UA + "Disalow: /", (2, 1, 8)),
    ("misspelt-field", "google", UA + "Disallowed: /", (2, 1, 11)),
    ("missing-colon", "rfc9309", UA + " Disallow /", (2, 2, 10)),
    ("not-a-field", "rfc9309", UA + "Disallow: /\nKeep out!", (3, 1, 10)),
    ("not-a-field", "1994", UA + "Disallow: /\nDisallow /x", (3, 1, 12)),
    ("path-without-slash", "rfc9309", UA + "Disallow: private", (2, 11, 18)),
    ("path-without-slash", "draft1996", UA + "Disallow: *.gif", (2, 11, 16)),
    ("rule-outside-group", "rfc9309", "Disallow: /x\n" + UA + "Disallow: /", (1, 1, 9)),
    ("rule-outside-group", "1994", UA + "Disallow: /a\n\nDisallow: /b", (4, 1, 9)),
    ("space-in-path", "rfc9309", UA + "Disallow: /a b", (2, 13, 14)),
    ("unknown-field", "rfc9309", UA + "Disallow: /\nFoo: bar", (3, 1, 4)),
    ("unknown-field", "rfc9309", UA + "Disallow: /\nDisallowed: /x", (3, 1, 11)),
]


@pytest.mark.parametrize(
    ("code", "dialect", "text", "place"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)]
)
def test_points_at_the_trouble(code, dialect, text, place):
    found = comity.parse(text, dialect=dialect).diagnostics

    assert place in [(it.line, it.column, it.end_column) for it in found if it.code == code], found


def test_octets_that_are_not_utf_8():
    (problem,) = comity.parse(b"User-agent: *\nDisallow: /caf\xe9").diagnostics

    assert (problem.code, problem.line, problem.column) == ("not-utf-8", 2, 15)


def test_utf_16_is_named():
    body = "User-agent: *\nDisallow: /".encode("utf-16")

    assert "utf-16" in [problem.code for problem in comity.parse(body).diagnostics]


def test_every_code_has_a_case():
    elsewhere = {"not-utf-8", "utf-16"}

    assert {code for code, *_ in CASES} | elsewhere == set(CODES)


def test_a_clean_file_has_none():
    text = (
        "# All is well.\nUser-agent: ExampleBot\nUser-agent: *\nDisallow: /a/\nAllow: /*.html$\nCrawl-delay: 0.5\n"
        "Request-rate: 1/10m 0600-1800\nVisit-time: 2200-0600\nContent-Signal: ai-train=no\n"
        "Content-Usage: /a train-ai=n\n\nSitemap: https://example.com/s.xml\nClean-param: ref /a\nHost: example.com\n"
    )

    assert comity.parse(text).diagnostics == ()


@pytest.mark.parametrize(
    ("line", "meant"),
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
def test_unknown_fields_are_guessed(line, meant):
    messages = [it.message for it in comity.parse(line).diagnostics if it.code == "unknown-field"]

    assert [f"was {meant} meant?" in message for message in messages] == (
        [True] if meant else [False] * len(messages)
    )


def test_messages_are_fit_for_a_terminal():
    for problem in comity.parse("\x1b[31mDisallow\x07: \x1b]0;x\x07\nFoo\x1b: x").diagnostics:
        assert problem.message.isprintable()


def test_diagnostics_come_in_order():
    problems = comity.parse("Foo: x\nDisallow: y\nUser-agent: a/1\nDisalow: b$c%d").diagnostics

    assert [(it.line, it.column) for it in problems] == sorted((it.line, it.column) for it in problems)


def test_a_limit_of_ones_own_is_told():
    dialect = comity.protocol.robotstxt.RFC9309.replace(name="own", line_limit=14)
    (problem,) = comity.parse(UA + "Disallow: /abcdefgh", dialect=dialect).diagnostics

    assert (problem.code, problem.line, problem.column) == ("line-too-long", 2, 15)


@pytest.mark.parametrize("dialect", ["draft1996", "1994"])
def test_names_that_are_compared_whole_are_not_called_cut(dialect):
    assert (
        comity.parse("User-agent: Foo Bot/1\nDisallow: /a b", dialect=dialect).diagnostics[0].code
        == "space-in-path"
    )


def test_the_documentation_lists_every_code():
    page = (Path(__file__).parents[3] / "docs" / "diagnostics.md").read_text()
    rows = [f"| `{code}` | {severity} | {about} |" for code, (severity, about) in sorted(CODES.items())]

    assert [line for line in page.splitlines() if line.startswith("| `")] == rows


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Disallow: private", "write `/private`"),
        ("Disallow: index.html", "write `/index.html`"),
        ("Disallow: private/a.html", "write `/private/a.html`"),
        ("Disallow: community.example.com/t5", "of its own host alone"),
        ("Disallow: www.example.com", "of its own host alone"),
        ("Disallow: https://uat.example.com/*", "of its own host alone"),
        ("Disallow: https://uat.example.com/", "of its own host alone"),
        ("Disallow: https://example.com/private", "of its own host alone"),
        ("Allow: Sitemap: https://example.com/a.xml", "a line of its own"),
        ("Disallow: Allow: /a", "a line of its own"),
        ("Disallow: $", "matches nothing"),
    ],
)
def test_no_rule_is_proposed_that_closes_what_nobody_meant(line, says):
    """A path of another host, or one that would be the whole site, is not for this file to write."""
    (problem,) = (it for it in comity.parse(UA + line).diagnostics if it.code != "space-in-path")

    assert says in problem.message
    assert ("write" in problem.message) == says.startswith("write")


def test_a_missing_line_break_is_guessed_in_a_name():
    (problem,) = comity.parse("GPTBot Disallow: /").diagnostics

    assert problem.message.endswith("so the line is ignored; is a line break missing before Disallow?")


@pytest.mark.parametrize("value", ["*: Disallow: /", "FooBot Disallow: /", "FooBot Sitemap : x"])
def test_a_missing_line_break_is_named(value):
    (problem,) = (it for it in comity.parse(f"User-agent: {value}").diagnostics if it.code == "agent-cut")

    assert problem.message.endswith("a line break is missing before the other field")
