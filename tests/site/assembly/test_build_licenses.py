"""Licences (RSL) of a plan and its fragments, in the result as in the standard: 4.4.2 and 4.4.3."""

import pytest

import comity
from comity.errors import InvalidPlan

SITE = "https://www.example.com/site.xml"
OWN = "https://www.example.com/own.xml"
STAR = "https://www.example.com/star.xml"


def licenses(body, agent):
    return list(comity.parse(body).rules_for(agent).licenses)


PLANS = [
    ({"licenses": SITE, "close": "/x"}, {"ExampleBot": [SITE]}),
    (
        {"licenses": SITE, "groups": {"agents": "ExampleBot", "licenses": OWN}},
        {"ExampleBot": [OWN], "OtherBot": [SITE]},
    ),
    ({"groups": {"agents": ["a", "b"], "licenses": [OWN, SITE]}}, {"a": [OWN, SITE], "b": [OWN, SITE]}),
    (
        {
            "inherit": True,
            "groups": [{"agents": "*", "licenses": STAR}, {"agents": "ExampleBot", "crawl_delay": 5}],
        },
        {"ExampleBot": [STAR], "OtherBot": [STAR]},
    ),
    (
        {
            "inherit": True,
            "groups": [{"agents": "*", "licenses": STAR}, {"agents": "ExampleBot", "licenses": OWN}],
        },
        {"ExampleBot": [OWN], "OtherBot": [STAR]},
    ),
    # Google reads no preferences, but a licence may have legal effect.
    ({"groups": {"agents": ["Googlebot", "ExampleBot"], "licenses": OWN}}, {"Googlebot": [OWN]}),
]


@pytest.mark.parametrize(("plan", "expected"), PLANS)
def test_licences_of_a_plan_reach_their_robots(plan, expected):
    body = comity.build(plan).body
    assert {agent: licenses(body, agent) for agent in expected} == expected
    assert comity.tidy(body) == body


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        (f"License: {SITE}\nUser-agent: *\nDisallow: /x\n", {"ExampleBot": [SITE]}),
        (f"License: {SITE}\n", {"ExampleBot": [SITE]}),
        (f"User-agent: a\nLicense: {OWN}\nUser-agent: b\nDisallow: /x\n", {"a": [OWN], "b": [OWN], "c": []}),
        (
            f"License: {SITE}\nUser-agent: a\nDisallow: /x\nLicense: {OWN}\n\nUser-agent: *\nDisallow: /x\n",
            {"a": [OWN], "b": [SITE]},
        ),
    ],
)
def test_licences_of_a_fragment_reach_their_robots(tmp_path, fragment, expected):
    (tmp_path / "site.txt").write_text(fragment, encoding="utf-8")
    body = comity.build(tmp_path).body
    assert {agent: licenses(body, agent) for agent in expected} == expected


def test_licence_of_a_fragment_that_replaces_that_of_the_plan_is_noted(tmp_path):
    (tmp_path / "robots.toml").write_text(f'licenses = "{SITE}"\n', encoding="utf-8")
    (tmp_path / "robots.d").mkdir()
    (tmp_path / "robots.d" / "site.txt").write_text(
        f"User-agent: *\nDisallow: /x\nLicense: {OWN}\n", encoding="utf-8"
    )
    built = comity.build(tmp_path)
    assert [(note.kind, note.sources) for note in built.notes] == [
        ("replaced-directive", ("robots.d/site.txt:3:1", "robots.toml: licenses"))
    ]
    assert licenses(built.body, "ExampleBot") == [OWN]


@pytest.mark.parametrize("value", ["/l.xml", "http://a.example/l", "https://u:p@a.example/", "", f"{SITE}#a"])
def test_value_that_robots_do_not_read_is_a_problem(value):
    with pytest.raises(InvalidPlan, match="licenses"):
        comity.build({"licenses": value})
    with pytest.raises(InvalidPlan, match="licenses"):
        comity.build({"groups": {"agents": "*", "licenses": [value]}})


def test_licence_in_a_fragment_for_a_part_of_the_site_is_a_problem(tmp_path):
    for text in (f"License: {SITE}\n", f"User-agent: *\nLicense: {SITE}\nDisallow: /shop/\n"):
        (tmp_path / "shop.txt").write_text(text, encoding="utf-8")
        with pytest.raises(InvalidPlan, match="concerns the whole site"):
            comity.build(tmp_path)
