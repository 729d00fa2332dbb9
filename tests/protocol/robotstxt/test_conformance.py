"""The cases of `conformance/`: one file for each dialect, one answer for each case.

Tests of other fields, long lines, hostile input and the file's URL follow. `docs/reference/conformance.md` lists the
requirement that each case covers.
"""

import base64
import json
from pathlib import Path

import pytest
from dialect_answers import DIALECTS

import comity

AUTHORITIES = {"rfc", "google", "draft1996", "1994", "comity"}
REQUIRED = {"id", "topic", "authority", "section", "agent", "url", "expect"}
OPTIONAL = {"text", "text_b64", "line", "reason", "matched", "deviates", "note"}
FILES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parents[3] / "conformance").glob("*.json"))
}
CASES = [(dialect, case) for dialect, file in FILES.items() for case in file["cases"]]

each_case = pytest.mark.parametrize(
    ("dialect", "case"), [pytest.param(dialect, case, id=case["id"]) for dialect, case in CASES]
)


def body_of(case):
    return base64.b64decode(case["text_b64"]) if "text_b64" in case else case["text"]


def read(case, dialect):
    return comity.parse(body_of(case), dialect=dialect)


@each_case
def test_answer(dialect, case):
    robots = read(case, dialect)
    allowed = robots.allowed(case["url"], agent=case["agent"])
    verdict = robots.check(case["url"], agent=case["agent"])

    assert (case["expect"] == "allow") == allowed == verdict.allowed == bool(verdict)
    for name, found in (
        ("line", verdict.line),
        ("reason", verdict.reason.code),
        ("matched", verdict.matched),
    ):
        assert case.get(name, found) == found, name
    if verdict.rule is not None:
        line = robots.lines[verdict.rule.line - 1]
        assert line.field == ("allow" if verdict.rule.allow else "disallow")
        assert verdict.rule.pattern == line.value.decode(errors="surrogateescape")


def test_explain_is_one_printable_line():
    for dialect, case in CASES:
        sentence = read(case, dialect).check(case["url"], agent=case["agent"]).explain()
        assert sentence, case["id"]
        assert sentence.isprintable(), case["id"]
        assert [sentence] == sentence.splitlines(), case["id"]


def test_deviations_are_marked():
    for dialect, case in CASES:
        if dialect != "rfc9309":
            ours, standard = (
                read(case, name).allowed(case["url"], agent=case["agent"]) for name in (dialect, "rfc9309")
            )
            assert case.get("deviates", False) == (ours != standard), case["id"]


def test_every_dialect_has_a_file():
    assert set(DIALECTS) == set(FILES)
    assert all(file["dialect"] == name for name, file in FILES.items())


def test_ids_are_unique():
    ids = [case["id"] for _, case in CASES]

    assert sorted(set(ids)) == sorted(ids)


def test_cases_are_well_formed():
    for dialect, case in CASES:
        assert case["authority"] in AUTHORITIES, case
        assert case["expect"] in {"allow", "disallow"}, case
        assert case.keys() >= REQUIRED, case
        assert case.keys() <= REQUIRED | OPTIONAL, case
        assert ("text" in case) != ("text_b64" in case), case
        assert dialect != "rfc9309" or "deviates" not in case, case
        assert case["topic"] in FILES[dialect]["topics"], case


def test_product_token_is_part_of_the_header():
    """RFC 9309 2.2.1: the header contains the name that robots.txt uses."""
    header = "Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)"

    assert comity.product_token(header) == "ExampleBot"
    assert comity.product_token(header) in header


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sitemaps_belong_to_no_group(dialect):
    """RFC 9309 2.2.4: a Sitemap counts anywhere in the file."""
    lines = [
        "Sitemap: https://example.com/1.xml",
        "User-agent: a",
        "Sitemap: https://example.com/2.xml",
        "Disallow: /x",
        "sitemap:https://cdn.example.net/3.xml # on another host",
    ]

    assert comity.parse("\n".join(lines), dialect=dialect).sitemaps == (
        "https://example.com/1.xml",
        "https://example.com/2.xml",
        "https://cdn.example.net/3.xml",
    )


def test_relative_sitemaps_are_left_out():
    robots = comity.parse("Sitemap: /sitemap.xml\nSitemap: https://example.com/s.xml\nSitemap: s.xml")

    assert robots.sitemaps == ("https://example.com/s.xml",)
    assert [problem.line for problem in robots.diagnostics] == [1, 3]


@pytest.mark.parametrize(
    "field", ["Sitemap https://example.com/s.xml", "site-map: https://example.com/s.xml"]
)
def test_sitemap_is_read_leniently(field):
    """RFC 9309 2.2.4: mistakes in other records may be tolerated."""
    assert comity.parse(field).sitemaps == ("https://example.com/s.xml",)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_larger_crawl_delay_wins(dialect):
    lines = ["User-agent: *", "Crawl-delay: 2", "Disallow: /x", "Crawl-delay: 10", "Crawl-delay: 5.5"]

    assert comity.parse("\n".join(lines), dialect=dialect).rules_for("ExampleBot").crawl_delay == 10.0


def test_larger_crawl_delay_wins_over_merged_groups():
    robots = comity.parse("User-agent: a\nCrawl-delay: 3\nDisallow: /x\n\nUser-agent: a\nCrawl-delay: 2\n")

    assert robots.rules_for("a").crawl_delay == 3.0


def test_fields_apply_to_names_since_previous_field():
    """The rule applies to a and b, the delay only to a: it comes before the line for b."""
    robots = comity.parse("User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x\n")

    assert len(robots.groups) == 1
    assert [robots.allowed("/x", agent=name) for name in "ab"] == [False, False]
    assert [robots.rules_for(name).crawl_delay for name in "ab"] == [5.0, None]


def test_fields_apply_to_all_names_of_run():
    robots = comity.parse("User-agent: a\nUser-agent: b\nCrawl-delay: 5\nDisallow: /x\nCrawl-delay: 6\n")

    assert [robots.rules_for(name).crawl_delay for name in "ab"] == [6.0, 6.0]


def test_long_lines_are_read_whole():
    """A pattern of 20,001 bytes matches no path of 17,001 bytes."""
    robots = comity.parse("User-agent: *\nDisallow: /" + "a" * 20_000)

    assert robots.allowed("/" + "a" * 17_000, agent="ExampleBot")
    assert not robots.allowed("/" + "a" * 20_000, agent="ExampleBot")


def test_google_truncates_long_lines():
    """The line has 11 bytes before the run of `a`, and 16,663 bytes of it are read."""
    robots = comity.parse("User-agent: *\nDisallow: /" + "a" * 20_000, dialect="google")

    assert not robots.allowed("/" + "a" * 17_000, agent="ExampleBot")
    assert not robots.allowed("/" + "a" * (16_663 - 11), agent="ExampleBot")
    assert robots.allowed("/" + "a" * (16_663 - 12), agent="ExampleBot")


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
def test_wildcards_are_fast(dialect):
    """RFC 9309 3: backtracking over this pattern would not finish."""
    rules = comity.parse("User-agent: *\nDisallow: /" + "*a" * 2_000 + "*b$", dialect=dialect).rules_for("x")

    assert rules.allowed("/" + "a" * 20_000)
    assert not rules.allowed("/" + "a" * 20_000 + "b")


def test_parse_has_no_size_limit():
    """RFC 9309 2.5 requires at least 500 KiB; only fetching has a limit."""
    body = b"User-agent: *\n" + b"# nothing\n" * 200_000 + b"Disallow: /x\n"

    assert len(body) > 500 * 1024
    assert comity.parse(body).check("/x", agent="ExampleBot").line == 200_002


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "body",
    [
        bytes(range(256)),
        bytes(range(255, -1, -1)) * 3,
        b"\xef\xbb\xbf" * 3,
        b":" * 1_000,
        b"User-agent: \xff\nDisallow: \xfe%\nAllow: \0\x1b[31m$*$\n",
        b"\r\n\r\r\n\n" * 50,
        "User-agent: *\nDisallow: /ツ\ud800\n",
    ],
)
def test_no_content_raises(dialect, body):
    """RFC 9309 2.3.1.5 and 3: the parsable part of any file is used."""
    robots = comity.parse(body, dialect=dialect)

    assert robots.check("/x", agent="ExampleBot").explain().isprintable()
    assert robots.diagnostics is not None


def test_control_characters_are_not_printed():
    """RFC 9309 3: an explanation contains no control characters from the file."""
    verdict = comity.parse("User-agent: *\nDisallow: /\x1b[2J").check("/\x1b[2J", agent="ExampleBot")

    assert not verdict.allowed
    assert r"\x1b" in verdict.explain()
    assert "\x1b" not in verdict.explain()


@pytest.mark.parametrize(
    ("url", "robots_url"),
    [
        ("https://www.example.com/", "https://www.example.com/robots.txt"),
        ("ftp://ftp.example.com/pub/file", "ftp://ftp.example.com/robots.txt"),
        ("http://www.example.com:8001/a/b?c=/d/", "http://www.example.com:8001/robots.txt"),
        ("HTTPS://WWW.EXAMPLE.COM:443/A/Robots.TXT", "https://www.example.com/robots.txt"),
    ],
)
def test_robots_txt_is_at_the_top(url, robots_url):
    """RFC 9309 2.3: one file, in lower case, for each scheme, host and port."""
    assert comity.robots_url(url) == robots_url
