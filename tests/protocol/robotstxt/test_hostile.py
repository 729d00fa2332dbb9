"""Input made to hurt: it is read and answered, and the answers are right.

That time grows in proportion is shown by `make bench`; quadratic time exceeds the limit of each test.
"""

import growth
import pytest

import comity

#: Maximum processor time of a test, in units of `growth.at_most`.
UNITS = 40


@pytest.fixture(autouse=True)
def bounded():
    with growth.at_most(UNITS):
        yield


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
@pytest.mark.parametrize(
    ("pattern", "path", "closed"),
    [
        ("/" + "*a" * 5_000 + "b", "/" + "a" * 20_000, False),
        ("/" + "*a" * 5_000, "/" + "a" * 20_000, True),
        ("/" + "*" * 200_000 + "b", "/" + "a" * 20_000 + "b", True),
        ("/" + "a*" * 4_000 + "$", "/" + "a" * 9_000, True),
        ("/" + "*ab" * 3_000 + "$", "/" + "ab" * 4_000 + "a", False),
        ("/*" + "a" * 10_000 + "b", "/" + "a" * 100_000, False),
    ],
    ids=range(6),
)
def test_patterns_with_many_wildcards_are_fast(pattern, path, closed, dialect):
    """Google reads 16,663 bytes of a line, so a longer pattern loses its end and disallows more."""
    robots = comity.parse(f"User-agent: *\nDisallow: {pattern}", dialect=dialect)
    cut = dialect == "google" and len(pattern) > 16_000

    assert robots.allowed(path, agent="x") is not (closed or cut)


def test_two_thousand_patterns_with_same_pieces_are_fast():
    body = "User-agent: *\n" + "".join(f"Disallow: /*{'a*' * 10}{n}z\n" for n in range(2_000))
    rules = comity.parse(body).rules_for("x")

    assert [rules.allowed("/" + "a" * 500) for _ in range(12)] == [True] * 12
    assert not rules.allowed("/" + "a" * 500 + "1999z")


def test_nested_prefixes_are_fast():
    body = "User-agent: *\n" + "".join(f"{'Dis' * (n % 2)}allow: /{'a' * n}\n" for n in range(3_000))
    rules = comity.parse(body).rules_for("x")
    for _ in range(12):
        rules.allowed("/")

    assert [rules.allowed("/" + "a" * n) for n in (0, 1, 10, 11, 1_535, 1_536, 2_998, 2_999, 9_999)] == [
        True, False, True, False, False, True, True, False, False
    ]  # fmt: skip
    for n in range(0, 3_000, 2):
        assert rules.allowed("/" + "a" * n + "b")
    assert rules.check("/" + "a" * 100).line == 102
    assert len(rules.check("/" + "a" * 100).overruled) == 100


def test_verdict_that_overrules_very_many_rules_is_fast():
    body = b"User-agent: *\nAllow: /x*\n" + b"Disallow: /\n" * 150_000
    robots = comity.parse(body, dialect="google")  # it gives an index page two spellings

    assert len(robots.check("/x", agent="x").overruled) == 150_000


def test_very_many_groups_are_fast():
    body = "".join(f"User-agent: bot{n}\nDisallow: /{n}\n" for n in range(30_000))
    robots = comity.parse(body)

    assert not robots.allowed("/29999", agent="bot29999")
    assert robots.allowed("/29999", agent="bot777")


@pytest.mark.parametrize("dialect", ["draft1996", "1994"])
def test_very_many_groups_by_substring_are_fast(dialect):
    body = "".join(f"User-agent: bot-{n}x\nDisallow: /{n}\n\n" for n in range(30_000))

    assert not comity.parse(body, dialect=dialect).allowed("/29999", agent="bot-29999x")


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
@pytest.mark.parametrize(
    "body",
    [
        b"\0" * 300_000,
        b"\n" * 100_000,
        b"\r" * 100_000,
        b"\xff\xfe" * 25_000,
        b"a" * 600_000,
        b":" * 300_000,
        b"#" * 300_000,
        b"%" * 300_000,
        b" " * 300_000 + b"User-agent: *",
        b"User-agent: *\nDisallow: /" + b"a" * 600_000,
        b"User-agent: *\nDisallow: /" + b"%61" * 60_000,
        b"User-agent: *\nDisallow: /" + b"\xe3\x83\x84" * 60_000,
        b"User-agent: " + b"a" * 300_000 + b"\nDisallow: /",
        b"User-agent: x\n" * 15_000 + b"Disallow: /",
        b"User-agent: x\nCrawl-delay: 1\n" * 10_000 + b"Disallow: /",
        b"User-agent: *\n" + b"Disallow: /\n" * 10_000,
        b"User-agent: *\n" + b"Crawl-delay: 1\n" * 15_000,
        b"".join(b"User-agent: b%d\n" % n for n in range(8_000))
        + b"User-agent: *\n"
        + b"Crawl-delay: 1\n" * 15_000,
        b"Sitemap: https://example.com/\n" * 25_000,
        b"Clean-param: a /\n" * 1_000,
        b"<html>" + b"<p>text: more</p>\n" * 25_000,
    ],
    ids=range(21),
)
def test_large_bodies_are_fast(body, dialect):
    robots = comity.parse(body, dialect=dialect)
    for path in ("/", "/a", "/" + "a" * 10_000, "/%61" * 2_000):
        assert robots.check(path, agent="x").allowed is robots.allowed(path, agent="x")
    assert robots.rules_for("x").crawl_delay in (None, 1.0)
    assert len(robots.sitemaps) <= 1
    assert robots.clean("/?a=1&b=2") in ("/?a=1&b=2", "/?b=2")


@pytest.mark.parametrize(
    "url", ["/" + "%61" * 100_000, "/" + "*" * 100_000, "/" + "é" * 100_000, "https://" + "a" * 100_000]
)
def test_large_urls_are_fast(url):
    robots = comity.parse("User-agent: *\nDisallow: /aaa*aaa$\nDisallow: /*%2A")

    assert isinstance(robots.allowed(url, agent="x"), bool)


def test_large_agents_are_fast():
    robots = comity.parse("User-agent: *\nDisallow: /")

    assert not robots.allowed("/", agent="(" * 100_000)
    assert not robots.allowed("/", agent="a" * 100_000)
    assert not robots.allowed("/", agent=["x"] * 10_000)
