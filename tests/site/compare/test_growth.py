"""The time of a comparison is bounded for any two files, and a result says what was left out."""

from functools import partial
from itertools import count

import growth
import pytest
from growth import name

import comity
from comity.site import equivalent
from comity.site.compare import audiences, minimize
from comity.site.compare import diff as comparison
from comity.site.compare import robot_classes as cases

#: Size of a file in bytes. A quadratic step takes seconds at this size, a linear one a tenth of a second.
SIZE = 60_000

#: Maximum processor time, in units of `growth.at_most`.
UNITS = 40

fill = partial(growth.fill, size=SIZE)

ALL = b"User-agent: *\n"
NAMES = fill(f"User-agent: {name(at)}" for at in range(4000))

SHAPES = {
    "distinct signals": fill((f"Content-Signal: k{at}=yes" for at in count()), head=ALL),
    "signals of a line": ALL + b"Content-Signal: " + ",".join(f"k{at}=no" for at in range(12_000)).encode(),
    "equal rates": fill(("Request-rate: 1/5" for _ in count()), head=ALL),
    "equal windows": fill(("Visit-time: 0600-0845" for _ in count()), head=ALL),
    "groups of one rule": fill(f"User-agent: {name(at)}\nDisallow: /p{at}\n" for at in count()),
    "groups of one wildcard": fill(f"User-agent: {name(at)}\nDisallow: /*p{at}*x\n" for at in count()),
    "groups for all": fill(f"User-agent: *\nCrawl-delay: {at}\nDisallow: /p{at}\n" for at in count()),
    "names with a delay each": fill(f"User-agent: {name(at)}\nCrawl-delay: {at}" for at in count())
    + b"Disallow: /\n",
    "own and common rules": NAMES[: SIZE // 3]
    + b"\n".join(b"Disallow: /p%d" % at for at in range(2500))
    + b"\n".join(b"\nUser-agent: %s\nDisallow: /o%d" % (name(at).encode(), at) for at in range(1200)),
    "own and common fields": NAMES[: SIZE // 3]
    + b"\n".join(b"Content-Signal: k%d=no" % at for at in range(1500))
    + b"\nDisallow: /\n"
    + b"\n".join(
        b"\nUser-agent: %s\nCrawl-delay: %d\nDisallow:" % (name(at).encode(), at) for at in range(900)
    ),
    "crossing wildcards": fill(
        (f"{('Allow', 'Disallow')[at % 2]}: /*{at}*{at % 7}" for at in count()), head=ALL
    ),
    "nested prefixes": fill((f"{('Allow', 'Disallow')[at % 2]}: /{'a' * at}" for at in count()), head=ALL),
    "a long path and many pieces": ALL + b"Disallow: /" + b"a" * 60_000 + b"*b" * 29_000,
    "stars": fill((f"Allow: /*{at}" for at in range(3000)), head=ALL) + b"Disallow: /" + b"*" * 60_000,
    "one name in many groups": fill(f"User-agent: a\nDisallow: /p{at}\n" for at in count()),
    "sitemaps": fill("Sitemap: https://example.com/s.xml" for _ in count()),
    "parameters": fill(f"Clean-param: a{at} /p" for at in count()),
    "preferences": fill((f"Content-Usage: /p{at} train-ai=n" for at in count()), head=ALL),
}

PAIRS = [
    *((shape, None) for shape in SHAPES),
    ("groups of one rule", "groups for all"),
    ("groups of one wildcard", "crossing wildcards"),
    ("groups of one rule", "own and common fields"),
    ("own and common rules", "own and common fields"),
    ("nested prefixes", "crossing wildcards"),
    ("a long path and many pieces", "stars"),
    ("distinct signals", "names with a delay each"),
]


@growth.once
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_any_two_files_are_compared_in_bounded_time(old, new):
    before, after = SHAPES[old], SHAPES[new] if new else b""
    with growth.at_most(UNITS):
        found = comity.diff(before, after)
        found.explain()
        found.record()

    assert found


@pytest.mark.parametrize("dialect", ["draft1996", "1994"])
def test_many_names_of_older_dialects(dialect):
    body = fill((f"User-agent: {name(at)}{'x' * 60}\nDisallow: /{at}\n" for at in count()), size=100_000)
    with growth.at_most(UNITS):
        found = comity.diff(body, b"", dialect=dialect)

    assert not found.exact
    assert "and only 1,000 of them were compared" in found.doubt


GROUPS = "".join(f"User-agent: {name(at)}\nDisallow: /p{at}\nDisallow: /q{at}\n\n" for at in range(9))


def test_robots_that_are_left_out_are_counted(monkeypatch):
    monkeypatch.setattr(audiences, "_ROBOTS", 3)
    found = comity.diff(f"{GROUPS}User-agent: Googlebot\nDisallow: /\n", "")

    assert [agent for change in found.changes for agent in change.agents] == ["*", "a", "b", "Googlebot"]
    assert found.doubt == "the files name 10 robots, and only 3 of them were compared"
    assert not found.exact
    assert "not exact: the files name 10 robots" in found.explain()


def test_robots_with_too_many_rules_are_left_out(monkeypatch):
    monkeypatch.setattr(cases, "_ENTRIES", 5)
    common = "User-agent: *\nDisallow: /common\nDisallow: /all\n"
    found = comity.diff(GROUPS, common)
    (left_out,) = (change for change in found.changes if not change.exact)

    assert left_out.agents == tuple(name(at) for at in range(5, 9))
    assert "have too many rules and fields" in left_out.doubt
    assert equivalent(GROUPS, GROUPS + "# again") is True
    monkeypatch.setattr(cases, "_ENTRIES", -50)
    assert equivalent(GROUPS, GROUPS + "# again") is None


def test_robots_beyond_the_states_are_not_compared():
    found = comity.diff(GROUPS, "", states=30)
    doubts = [change.doubt for change in found.changes if len(change.agents) > 1]

    assert doubts == ["not compared, because all comparisons together take more than 30 states"]
    assert [agent for change in found.changes for agent in change.agents] == ["*", *map(name, range(9))]
    assert not found.exact


def test_long_results_are_cut(monkeypatch):
    monkeypatch.setattr(cases, "_TEXT", 200)
    found = comity.diff(f"User-agent: *\nDisallow: /{'a' * 30}\nDisallow: /{'b' * 500}", "").changes[0]

    assert [change.witness for change in found.closed + found.opened] == [f"/{'a' * 30}"]
    assert found.doubt == "further changes are not listed, because the result would be too long"


def test_long_fields_are_cut(monkeypatch):
    monkeypatch.setattr(cases, "_TEXT", 100)
    delays = "".join(f"User-agent: {name(at)}\nCrawl-delay: {at + 1}\nDisallow: /\n\n" for at in range(9))
    found = comity.diff(delays, delays.replace("delay: ", "delay: 1"))

    assert not found.exact
    assert 0 < [bool(change.fields) for change in found.changes].count(True) < 9


def test_exceptions_beyond_the_budget_are_counted(monkeypatch):
    new = "User-agent: *\nDisallow: /\n" + "".join(f"Allow: /{at}/\n" for at in range(50))
    listed = comity.diff("", new).changes[0].closed[0]
    monkeypatch.setattr(cases, "_PROBES", 9)
    unlisted = comity.diff("", new).changes[0].closed[0]

    assert (len(listed.exceptions), listed.unlisted_exceptions) == (50, 0)
    assert len(unlisted.exceptions) < 50
    assert len(unlisted.exceptions) + unlisted.unlisted_exceptions >= 50


def test_urls_are_judged_for_a_limited_number_of_robots(monkeypatch):
    monkeypatch.setattr(comparison, "_JUDGED", 3)
    found = comity.diff(GROUPS, "", urls=["/p0", "/p8"])
    counted = [change.urls_opened for change in found.changes if change]

    assert counted == [1, 0, 0, None, None, None, None, None, None]
    assert "URLs are counted for at most" in found.explain()


def test_rules_of_too_many_robots_are_undecided(monkeypatch):
    monkeypatch.setattr(minimize, "_ENTRIES", 10)
    found = comity.minimize(GROUPS + "User-agent: z\nDisallow: /z\nDisallow: /z/z\nDisallow: /z\n")

    assert [rule.line for rule in found.removed] == [40]
    assert (len(found.undecided), found.fewest) == (21, False)
