"""`comity.diff`: the robots that the files are compared for."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity

FOO, BOT, BAR = (f"User-agent: {name}\nDisallow: /{name[-1]}\n\n" for name in ("foo", "bot", "bar"))
ANY = "User-agent: *\nDisallow: /x\n\n"

NAMES = [
    # source, old, new, the robots that are affected
    ("1994: the first of two names in a name", FOO + BOT, BOT + FOO, ["botfoo"]),
    ("1994: the place of * is irrelevant", ANY + FOO + BOT, FOO + BOT + ANY, []),
    ("1994: one name contains the other", FOO + BOT + BOT.replace("bot", "foobot"), BOT + FOO, ["foobot"]),
    ("1994: a removed group uncovers another", FOO + BOT, BOT, ["botfoo", "foo"]),
    ("1994: the same rules in another order", FOO + FOO.replace("foo", "bot"), FOO.replace("foo", "bot") + FOO, []),
]  # fmt: skip


@pytest.mark.parametrize(("source", "old", "new", "robots"), NAMES, ids=[case[0] for case in NAMES])
def test_robot_whose_name_contains_two_names(source, old, new, robots):
    found = comity.diff(old, new, dialect="1994")

    assert found.exact
    for robot in robots:
        assert any(robot in change.agents for change in found.changes if change), found
    assert bool(found) == bool(robots)
    assert comity.site.equivalent(old, new, dialect="1994") is (not robots)


@given(st.permutations([FOO, BOT, BAR, ANY]), st.permutations([FOO, BOT, BAR, ANY]), st.integers(0, 4), st.integers(0, 4))  # fmt: skip
def test_equivalent_files_are_equal_for_all_combined_names(old, new, from_old, from_new):
    old, new = "".join(old[from_old:]), "".join(new[from_new:])
    files = [comity.parse(body, dialect="1994") for body in (old, new)]
    names = [
        "".join(some) or "other" for size in range(4) for some in permutations(["foo", "bot", "bar"], size)
    ]
    paths = ["/o", "/t", "/r", "/x"]
    before, after = ([[file.allowed(path, agent=name) for path in paths] for name in names] for file in files)

    assert (before == after) == (comity.site.equivalent(old, new, dialect="1994") is True)


def test_too_many_combined_names_are_a_doubt():
    found = comity.diff(FOO + BOT, BOT + FOO, dialect="draft1996")
    many = "".join(f"User-agent: n{at}x\nDisallow: /{at}\n\n" for at in range(400))

    assert (bool(found), found.exact, found.record()["exact"]) == (False, False, False)
    assert found.explain() == f"not exact: {found.doubt}"
    assert comity.site.equivalent(FOO + BOT, BOT + FOO, dialect="draft1996") is None
    assert comity.site.equivalent(many + FOO, FOO + many, dialect="1994") is None
    assert comity.site.equivalent(many, many + "# a comment", dialect="1994") is True
    assert comity.diff(FOO + BOT, BOT + FOO, dialect="draft1996", agents=["foo"]).exact


def group(name, path):
    return f"User-agent: {name}\nDisallow: {path}\n\n"


SITE = group("*", "/r") + group("Googlebot", "/s")


@pytest.mark.parametrize("agents", [None, ["Googlebot-Image"], [("Googlebot-Image", "Googlebot")]])
def test_known_fallback_applies(agents):
    """Google: without its own group, Googlebot-Image follows the group of Googlebot."""
    found = comity.diff(SITE + group("Googlebot-Image", "/r"), SITE, agents=agents)
    (change,) = (change for change in found.changes if change)

    assert change.agents[0].startswith("Googlebot-Image")
    assert [paths.witness for paths in (*change.closed, *change.opened)] == ["/s", "/r"]
    assert not comity.diff(SITE + group("Googlebot-Image", "/s"), SITE)


def test_thousands_of_names_share_a_change():
    names = "".join(f"User-agent: bot{at}\n" for at in range(10_000))
    found = comity.diff(names + "Disallow: /a", names + "Disallow: /a\nDisallow: /b")
    (change,) = (change for change in found.changes if change)

    assert len(change.agents) == 10_000
    assert [paths.witness for paths in change.closed] == ["/b"]
