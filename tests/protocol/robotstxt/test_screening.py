"""The screening of lines, which the diagnostics must not depend on."""

from unittest import mock

import pytest
from growth import at_most
from hypothesis import given
from hypothesis import strategies as st
from strategies import bodies, dialects

import comity
from comity.protocol.robotstxt.diagnostics import file
from comity.protocol.robotstxt.diagnostics.fast_path import screened
from comity.protocol.robotstxt.diagnostics.misnomers import MISNOMERS
from comity.protocol.robotstxt.engine.dialect import DIALECTS, RFC9309
from comity.protocol.robotstxt.engine.lexer import Lines

USUAL = [
    "",
    "# why: \t~",
    "User-agent: *",
    "USER-AGENT:Example_Bot-x \t# why",
    "Disallow:",
    "disallow : /a/*?b=c&d=e~f.php$",
    "Disallow: /x#y",
    "Sitemap: https://example.com/s.xml",
    "sitemap: http://1.example:80/?a=b&c=/",
    "Crawl-Delay: 0.5",
]

SUSPICIOUS = [
    "Disallow /x",
    "Disalow: /x",
    "Disallow: x",
    "Disallow: /x y",
    "Disallow: /$x",
    "Disallow: /%4",
    "Disallow: /\x01",
    "Disallow: /" + "x" * 8001,
    "# \x7f",
    "#" + "x" * 8002,
    "User-agent:",
    "User-agent: MJ12bot",
    "User-agent: GOOGLE",
    "User-agent: google # why",
    "Allow:",
    "Sitemap: /s.xml",
    "Sitemap: https:///s.xml",
    "Crawl-delay: 1e999",
    "Crawl-delay:",
    "Host: example.com",
    "Content-Signal: search=yes",
]

#: Lines that touch the limits of what the screening knows, in a file of random lines.
lines = st.sampled_from([*USUAL, *SUSPICIOUS, "Allow: /", "Content-Usage: /", " ", "\x0b", "noindex: /"])
bodies_of_lines = st.builds(
    lambda found, end: end.join(found).encode(), st.lists(lines, max_size=8), st.sampled_from("\n\r")
)


def _everything(body, dialect):
    """Find each line and each group suspicious."""
    return [line.start for line in Lines(body, dialect) if line.text], True, True


@given(bodies | bodies_of_lines | st.binary(max_size=200), dialects, st.sampled_from([None, 9, 30, 16_663]))
def test_screening_misses_no_diagnostic(body, dialect, limit):
    dialect = DIALECTS[dialect].replace(line_limit=limit)
    found = comity.parse(body, dialect=dialect).diagnostics

    with mock.patch.object(file, "screened", _everything):
        assert comity.parse(body, dialect=dialect).diagnostics == found


@pytest.mark.parametrize("line", USUAL)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_usual_line_is_not_checked(line, end):
    assert screened((line + end).encode(), RFC9309)[0] == []


@pytest.mark.parametrize("line", SUSPICIOUS)
def test_suspicious_line_is_checked_where_it_begins(line):
    assert screened(f"# A\r\n{line}\r\n# B".encode(), RFC9309)[0] == [5]


@pytest.mark.parametrize("name", MISNOMERS)
def test_every_misnomer_is_suspicious(name):
    assert screened(f"User-agent: {name.title()}".encode(), RFC9309)[0] == [0]


@pytest.mark.parametrize(
    ("text", "strays", "empty_groups"),
    [
        ("", False, False),
        ("# A\n\nUser-agent: *\nDisallow: /\nCrawl-delay: 1\nUser-agent: b\nDisallow:", False, False),
        ("Sitemap: x\nUser-agent: *\n\nDisallow: /\nSitemap: y\n", False, False),
        ("Disallow: /\nUser-agent: *\nDisallow: /", True, False),
        ("User-agent: *\nDisallow: /\nUser-agent: b\nCrawl-delay: 1", False, True),
        ("User-agent: *\nDisallow: /\nUserAgent: b", False, True),
        ("User-agent: *\nDisallow: /\nHost: b", False, False),
    ],
)
def test_groups_are_checked_if_one_may_have_a_problem(text, strays, empty_groups):
    assert screened(text.encode(), RFC9309)[1:] == (strays, empty_groups)


@pytest.mark.parametrize(
    "line",
    [
        "Disallow: /" + "a" * 7_000 + "(",
        " " * 9_000,
        "#" + " " * 9_000,
        "User-agent: " + "a" * 500,
        "",
        "\r#",
    ],
)
def test_screening_takes_linear_time(line):
    body = f"{line}\n".encode() * (2_000_000 // (len(line) + 1))
    with at_most(40):
        screened(body, RFC9309)
