"""`comity.build`: the notes for the owners."""

import itertools

import pytest
from build_notes import texts
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity import agents as catalogue
from comity.agents import by_purpose
from comity.protocol.robotstxt.engine.matcher import compile_pattern, matches
from comity.site.assembly.directive import rule_directive
from comity.site.assembly.group import Merged, sorted_rules
from comity.site.assembly.overruled_rules import OverruledSearch
from comity.site.formatting.layout import LIMIT


def test_longer_rule_of_another_fragment_is_noted(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /shop/*.pdf\nDisallow: /blog/\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/*.pdf?open\nAllow: /shop/all\nDisallow: /shop/all/x\n",
    }

    assert texts(site(files)) == (
        "*: `Allow: /shop/*.pdf?open` (robots.d/shop.txt:2:1) overrules `Disallow: /shop/*.pdf` "
        "(robots.d/site.txt:2:1), which is shorter, on paths such as /shop/.pdf?open",
        "*: `Disallow: /shop/*.pdf` (robots.d/site.txt:2:1) overrules `Allow: /shop/all` "
        "(robots.d/shop.txt:3:1), which is shorter, on paths such as /shop/all.pdf",
    )


#: (rule of the site, rule of the shop, a shortest path that both match, or None)
OVERRULED = [
    ("Disallow: /*.pdf$", "Allow: /shop/files/", "/shop/files/.pdf"),
    ("Disallow: /shop/*/$", "Allow: /shop/a", "/shop/a/"),
    ("Disallow: /*.pdf", "Disallow: /shop/files/", None),
    ("Disallow: /*.pdf$", "Allow: /shop/*.html$", None),
    ("Disallow: /*.pdf$", "Allow: /shop/*df$", "/shop/.pdf"),
    ("Disallow: /*aba*bab$", "Allow: /shop/*bab*aba*b$", "/shop/bababab"),  # the pieces overlap
    ("Disallow: /shop/a$", "Allow: /shop/a$", "conflict"),
    ("Disallow: /shop/a$", "Allow: /shop/a", "/shop/a"),
    ("Disallow: /shop/ab$", "Allow: /shop/a$", None),
    ("Disallow: /shop/a$", "Allow: /shop/*/a$", None),
    ("Disallow: /blog/", "Allow: /shop/", None),
    ("Disallow: *", "Allow: /shop/", "/shop/"),
    ("Disallow: /*b*", "Allow: /shop/a", "/shop/ab"),
    ("Disallow: /shop/*b", "Allow: /shop/a*", "/shop/ab"),  # equal length, and Allow wins
    ("Disallow: /shop/?u=https://x", "Allow: /shop/?u=https%3A%2F%2Fx/y", "/shop/?u=https%3A%2F%2Fx/y"),
    ("Allow: /*.pdf$", "Disallow: /shop/files/", "/shop/files/.pdf"),
]


@pytest.mark.parametrize(("site_rule", "shop_rule", "path"), OVERRULED)
def test_overlapping_rules_of_two_files_are_noted(site, site_rule, shop_rule, path):
    files = {
        "robots.d/site.txt": f"User-agent: *\n{site_rule}\n",
        "robots.d/shop.txt": f"User-agent: *\n{shop_rule}\n",
    }
    if path == "conflict":
        with pytest.raises(comity.errors.PlanConflict):
            site(files)
        return
    notes = [note for note in texts(site(files)) if " overrules " in note]

    assert len(notes) == (path is not None)
    for note in notes:
        assert f"`{site_rule}` (robots.d/site.txt:2:1)" in note
        assert f"`{shop_rule}` (robots.d/shop.txt:2:1)" in note
        assert note.endswith(f", on paths such as {path}")


def test_each_pair_of_two_files_is_noted(site):
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*a\nDisallow: /*b\nAllow: /shop/x\n",
        "robots.d/shop.txt": "User-agent: *\nAllow: /shop/x\nAllow: /shop/y\n",
    }
    notes = texts(site(files))

    assert [note.rpartition(" ")[2] for note in notes] == ["/shop/xa", "/shop/xb", "/shop/ya", "/shop/yb"]
    assert "(robots.d/shop.txt:2:1, robots.d/site.txt:4:1)" in notes[0]  # both files have it
    files["robots.d/shop.txt"] = "Sitemap: https://example.com/shop.xml"
    assert texts(site(files)) == ()


pieces = st.lists(st.sampled_from("ab*"), max_size=6).map("".join)
small = st.builds(lambda text, end: f"/{text}{end}", pieces, st.sampled_from(["", "$"]))
PATHS = ["/" + "".join(path) for size in range(9) for path in itertools.product("ab", repeat=size)]


@given(small, small)
def test_overruled_rules_agree_with_all_short_paths(one, other):
    closed = rule_directive(False, one, "robots.d/site.txt:2:1")
    opened = rule_directive(True, other, "robots.d/shop.txt:2:1")
    if closed.key == opened.key:
        return
    merged = {(each.field, each.key): Merged(each, (each.source,)) for each in (closed, opened)}
    both = [compile_pattern(each.key, wildcards=True) for each in (closed, opened)]
    found = OverruledSearch().pairs(sorted_rules(merged))
    shortest = next((path for path in PATHS if all(matches(pattern, path) for pattern in both)), None)

    if shortest is None:
        assert not found or len(found[0].path) > 9
    else:
        assert len(found[0].path) == len(shortest)
        assert all(matches(pattern, found[0].path) for pattern in both)


def test_incomplete_search_is_noted(site):
    shop = "".join(f"Allow: /shop/{number}\n" for number in range(1500))
    files = {
        "robots.d/site.txt": "User-agent: *\nDisallow: /*.pdf$\n",
        "robots.d/shop.txt": f"User-agent: *\n{shop}",
    }
    notes = texts(site(files))

    assert sum(" overrules " in note for note in notes) == 1000
    assert notes[-1].startswith("there are more rules of one file that overrule another's: too many to check")

    rules = sorted_rules(
        {
            (each.field, each.key): Merged(each, (each.source,))
            for each in (
                rule_directive(False, "/*a*b$", "a.txt:1:1"),
                rule_directive(True, "/x*ba*", "b.txt:1:1"),
            )
        }
    )
    without_states, without_pairs = OverruledSearch(states=0), OverruledSearch(pairs=0)
    assert [one.path for one in without_states.pairs(rules)] == ["/xabab"]  # not the shortest
    assert without_states.complete
    assert (without_pairs.pairs(rules), without_pairs.complete) == ([], False)


def test_directives_not_inherited_are_noted(site):
    files = {"robots.toml": 'close = ["/a", "/b"]', "robots.d/site.txt": "User-agent: ABot\nDisallow: /x"}
    (note,) = texts(site(files))

    assert note == (
        "ABot: a robot with a group of its own ignores `Disallow: /a` (robots.toml: close[0]) and 1 more of `*`; "
        "set inherit = true to repeat them, or inherit = false if that is intended"
    )
    for decision in ("true", "false"):
        files["robots.toml"] = f'close = ["/a", "/b"]\ninherit = {decision}'
        built = site(files)
        assert texts(built) == ()
        assert comity.parse(built.body).allowed("/a", agent="ABot") is (decision == "false")


NAMED_ONLY = [agent.token for agent in catalogue.ALL if agent.named_only]


@pytest.mark.parametrize(
    ("plan", "open_to"),
    [
        ({"keep_out": True}, []),
        ({"keep_out": True, "inherit": False}, []),  # no source names them
        ({"only": "/about.html"}, []),
        ({"keep_out": True, "let_in": "AdsBot-Google"}, ["AdsBot-Google"]),
        ({"keep_out": True, "let_in": "ads"}, [token for token in NAMED_ONLY if token != "APIs-Google"]),
        ({"keep_out": True, "groups": {"agents": "adsbot-google", "inherit": False}}, ["AdsBot-Google"]),
        ({"environments": {"staging": {"closed": True}}, "let_in": "ads"}, []),
    ],
)
def test_named_only_robots_are_named_when_all_are_kept_out(plan, open_to):
    """Google: AdsBot ignores `*`, so it must be named to close a site to it."""
    built = comity.build(plan, environment="staging" if "environments" in plan else None)
    robots = comity.parse(built.body)

    assert [token for token in NAMED_ONLY if robots.check("/", agent=token).matched == "*"] == []
    assert [token for token in NAMED_ONLY if robots.allowed("/", agent=token)] == open_to
    assert not robots.allowed("/", agent="ExampleBot")
    assert texts(built) == ()


def test_named_only_robots_are_noted():
    """A rule that the owner writes for `*` is not extended to them."""
    closed = {"agents": "*", "disallow": "/"}
    (note,) = texts(comity.build({"groups": closed}))

    assert note.startswith("plan: groups.agents does not close the site to AdsBot-Google, ")
    assert note.endswith(", which obey only groups that name them; keep_out = true names them")
    assert "AdsBot-Google," not in texts(comity.build({"groups": closed, "block": "AdsBot-Google"}))[0]
    assert texts(comity.build({"groups": closed, "block": NAMED_ONLY})) == (
        "plan: groups.disallow: the whole site is closed to all robots; is that intended? (C217 closed-site)",
    )


@pytest.mark.parametrize(
    ("plan", "is_noted"),
    [
        ({"block": "training"}, True),
        ({"block": ["training", "Diffbot"]}, True),
        ({"block": ["training", "search"]}, True),
        ({"block": ["training", "data"]}, False),
        ({"block": ["training"], "let_in": "data"}, False),
        ({"block": ["training"], "keep_out": True}, False),  # keep_out closes the site to them
        ({"block": "GPTBot"}, False),
        ({"let_in": "training"}, False),
    ],
)
def test_data_collectors_are_noted(plan, is_noted):
    built = comity.parse(comity.build(plan).body)
    notes = [note for note in texts(comity.build(plan)) if "training but not data" in note]

    assert len(notes) == is_noted
    for note in notes:
        source = note.partition(" blocks ")[0]
        assert source.startswith("plan: block")
        named = {name.lower() for group in built.groups for name in group.agents}  # CCBot, for example
        missing = [
            one.token for one in by_purpose("data") if not one.obsolete and one.token.lower() not in named
        ]
        assert f": {', '.join(missing[:3])} and {len(missing) - 3} others collect" in note
        assert 'block "data" too' in note


def test_named_data_collector_is_not_noted():
    plans = {"let_in": "Diffbot"}, {"groups": {"agents": "diffbot", "disallow": "/x"}}
    for plan in plans:
        (note,) = [one for one in texts(comity.build({"block": "training", **plan})) if "not data" in one]
        assert "Diffbot" not in note


def test_unknown_name_is_noted():
    assert texts(comity.build({"block": "Zzyzx"})) == (
        "plan: block: Zzyzx is not a known agent or purpose, so it is used as the name of a robot",
    )


def test_misnomer_in_a_group_is_noted():
    built = comity.build({"groups": {"agents": ["Yahoo", "ExampleBot"], "disallow": "/x"}})

    (note,) = texts(built)
    assert note.startswith(
        "plan: groups.agents[0]: `Yahoo` is not the name of a current robot, so Slurp does not"
    )
    assert texts(comity.build({"groups": {"agents": ["Yahoo", "Slurp"], "disallow": "/x"}})) == ()


def test_large_file_is_noted():
    plan = {"close": [f"/{number:06}/{'x' * 200}" for number in range(LIMIT // 210)]}
    built = comity.build(plan)

    assert len(built.body) > LIMIT
    assert texts(built)[-1].startswith("the file is larger than 500 KiB")
