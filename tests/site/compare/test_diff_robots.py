"""`comity.diff`: for which robots it asks, so that what it says holds for all."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comity

FOO, BOT, BAR = (f"User-agent: {name}\nDisallow: /{name[-1]}\n\n" for name in ("foo", "bot", "bar"))
ANY = "User-agent: *\nDisallow: /x\n\n"

NAMES = [
    # authority, old, new, the robots for whom something changes
    ("1994: the first of the names in a name", FOO + BOT, BOT + FOO, ["botfoo"]),
    ("1994: it does not matter where * stands", ANY + FOO + BOT, FOO + BOT + ANY, []),
    ("1994: one name holds the other", FOO + BOT + BOT.replace("bot", "foobot"), BOT + FOO, ["foobot"]),
    ("1994: a group that goes uncovers another", FOO + BOT, BOT, ["botfoo", "foo"]),
    ("1994: the same rules in another order", FOO + FOO.replace("foo", "bot"), FOO.replace("foo", "bot") + FOO, []),
]  # fmt: skip


@pytest.mark.parametrize(("authority", "old", "new", "robots"), NAMES, ids=[case[0] for case in NAMES])
def test_robots_whose_names_hold_several(authority, old, new, robots):
    found = comity.diff(old, new, dialect="1994")

    assert found.exact
    for robot in robots:
        assert any(robot in change.agents for change in found.changes if change), found
    assert bool(found) == bool(robots)
    assert comity.equivalent(old, new, dialect="1994") is (not robots)


@given(st.permutations([FOO, BOT, BAR, ANY]), st.permutations([FOO, BOT, BAR, ANY]), st.integers(0, 4), st.integers(0, 4))  # fmt: skip
def test_what_is_equivalent_is_so_to_all_joined_names(old, new, from_old, from_new):
    old, new = "".join(old[from_old:]), "".join(new[from_new:])
    files = [comity.parse(body, dialect="1994") for body in (old, new)]
    names = [
        "".join(some) or "other" for size in range(4) for some in permutations(["foo", "bot", "bar"], size)
    ]
    paths = ["/o", "/t", "/r", "/x"]
    before, after = ([[file.allowed(path, agent=name) for path in paths] for name in names] for file in files)

    assert (before == after) == (comity.equivalent(old, new, dialect="1994") is True)


def test_what_cannot_be_asked_is_doubted():
    found = comity.diff(FOO + BOT, BOT + FOO, dialect="draft1996")
    many = "".join(f"User-agent: n{at}x\nDisallow: /{at}\n\n" for at in range(400))

    assert (bool(found), found.exact, found.record()["exact"]) == (False, False, False)
    assert found.explain() == f"not exact: {found.doubt}"
    assert comity.equivalent(FOO + BOT, BOT + FOO, dialect="draft1996") is None
    assert comity.equivalent(many + FOO, FOO + many, dialect="1994") is None
    assert comity.equivalent(many, many + "# a comment", dialect="1994") is True
    assert comity.diff(FOO + BOT, BOT + FOO, dialect="draft1996", agents=["foo"]).exact


def group(name, path):
    return f"User-agent: {name}\nDisallow: {path}\n\n"


SITE = group("*", "/r") + group("Googlebot", "/s")


@pytest.mark.parametrize("agents", [None, ["Googlebot-Image"], [("Googlebot-Image", "Googlebot")]])
def test_a_robot_is_asked_for_by_its_fallback_too(agents):
    """Google: without a group of its own Googlebot-Image follows that of Googlebot."""
    found = comity.diff(SITE + group("Googlebot-Image", "/r"), SITE, agents=agents)
    (change,) = (change for change in found.changes if change)

    assert change.agents[0].startswith("Googlebot-Image")
    assert [shift.witness for shift in (*change.closed, *change.opened)] == ["/s", "/r"]
    assert not comity.diff(SITE + group("Googlebot-Image", "/s"), SITE)


def test_thousands_of_names_share_their_answer():
    names = "".join(f"User-agent: bot{at}\n" for at in range(20_000))
    found = comity.diff(names + "Disallow: /a", names + "Disallow: /a\nDisallow: /b")
    (change,) = (change for change in found.changes if change)

    assert len(change.agents) == 20_000
    assert [shift.witness for shift in change.closed] == ["/b"]
