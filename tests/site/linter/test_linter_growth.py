"""The time of the linter is proportional to the file, whatever it holds."""

import sys
from itertools import count

import growth
import pytest
from growth import fill, name

import comity
from comity.protocol.robotstxt.diagnostics import file
from comity.site.linter import fixing
from comity.site.linter.fixing import fixed
from comity.site.linter.rules import sitemaps

#: Size of a file in bytes. A quadratic step takes tens of seconds at this size, a linear one a second.
SIZE = 150_000

#: Maximum processor time, in units of `growth.at_most`.
UNITS = 60

COMMON = fill((f"User-agent: {name(at)}" for at in count()), SIZE // 3)
SHAPES = {
    "groups without end": fill((f"User-agent:{name(at)}\nAllow:/" for at in count()), SIZE),
    "own and common fields": COMMON
    + fill((f"Content-Signal: k{at}=no" for at in count()), SIZE // 3)
    + b"Disallow: /\n"
    + fill((f"User-agent: {name(at)}\nContent-Signal: o{at}=no\nDisallow: /" for at in count()), SIZE // 3),
    "one name many times": fill((f"User-agent: *\nCrawl-delay: {at}" for at in count()), SIZE),
    "names like a known one": fill((f"User-agent: Goglebot{name(at)}\nDisallow: /" for at in count()), SIZE),
    "comments for one line": fill(("# comity: ignore C607" for _ in count()), SIZE // 2)
    + b"Content-Signal: "
    + ",".join(f"k{at}=y" for at in range(SIZE // 20)).encode(),
    # Copies of a value are quick, so that a quadratic number of them shows only in a larger file.
    "entities in a line": b"User-agent: *\nDisallow: /" + b"&lt;" * 350_000,
}


@growth.once
@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_proportional_to_the_file(shape):
    with growth.at_most(UNITS):
        comity.lint(SHAPES[shape])


def test_large_file_gets_few_passes(monkeypatch):
    passes = []
    monkeypatch.setattr(fixing, "applied", lambda body, found, unsafe: passes.append(0) or body + b"#\n")
    monkeypatch.setattr(fixing, "findings", lambda *arguments, **named: [])
    fixed(b"#" * 400_000)
    assert 4 <= len(passes) <= 6


def test_sitemaps_closed_by_many_rules_are_not_all_checked(monkeypatch):
    body = "User-agent: *\n" + "Disallow: /s\n" * 5 + "Sitemap: https://example.com/s.xml\n" * 4
    monkeypatch.setattr(sitemaps, "_MOST_MATCHING", 9)

    assert [finding.line for finding in comity.lint(body) if finding.code == "C503"] == [7, 8]


#: Files of equal or similar lines. The first lines are there to be compared with all others.
LINES = {
    "equal lines that are no fields": lambda at: b"\xff\n",
    "colons": lambda at: b":\n",
    "unknown fields": lambda at: b"Field%d: a\n" % at,
    "tiny groups": lambda at: b"User-agent: a%d\nDisallow: /\n\n" % at,
    "headers": lambda at: b"User-agent: Mozilla/5.0 (compatible; b%d/1.0)\nDisallow: /a\n" % at,
    "paths": lambda at: b"Disallow: /a%d/*.j\nAllow: /%d%%zz\n" % (at, at),
    "fields of all kinds": lambda at: (
        b"Sitemap: https://example.com/%d\nCrawl-delay: %d\nLicense: /\n" % (at, at)
    ),
    "comments": lambda at: b"# comity: ignore C3%02d\nDisallow: a\n" % (at % 99),
}


def calls_of(work):
    """Return how many functions a piece of work calls."""
    calls = 0

    def record(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(record)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@growth.once
@pytest.mark.parametrize("shape", LINES)
def test_calls_are_proportional_to_the_lines(shape):
    small, large = (
        b"User-agent: *\nDisallow: /b\n" + b"".join(map(LINES[shape], range(lines))) for lines in (100, 200)
    )
    for body in (small, large):
        comity.lint(body)  # loads modules and fills caches
    first, second = (calls_of(lambda body=body: comity.lint(body)) for body in (small, large))

    assert second < 2.2 * first


def test_equal_lines_are_checked_once(monkeypatch):
    checked = []
    check = file._diagnostics_of
    monkeypatch.setattr(
        file, "_diagnostics_of", lambda line, *rest: checked.append(line) or check(line, *rest)
    )

    found = comity.parse(b"\xff\nFoo: bar\n" * 1000).diagnostics

    assert [line.number for line in checked] == [1, 2, 3]  # the mark of the encoding may be in the first line
    assert {one.line for one in found} == set(range(1, 2001))
