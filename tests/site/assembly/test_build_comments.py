"""Comments of plans and fragments in the file that `comity.build` writes."""

import pytest
from build_notes import texts
from hypothesis import given
from hypothesis import strategies as st

import comity
from comity.errors import InvalidPlan

MAP = """\
# The map
User-agent: *
Disallow: /map/ # it has no end

# This robot knows its way.
User-agent: cybermapper
Disallow:
# the last line
"""


def test_comments_stay_at_their_lines(site):
    built = site({"robots.toml": 'close = "/tmp/"\ninherit = false', "robots.d/map.txt": MAP})

    assert built.body.decode() == (
        "# This robot knows its way.\nUser-agent: cybermapper\nDisallow:\n\n"
        "# The map\nUser-agent: *\nDisallow: /map/ # it has no end\nDisallow: /tmp/\n\n"
        "# the last line\n"
    )
    assert len(built.sources) == len(built.body.splitlines())
    assert built.sources[0] == built.sources[-1] == ()


def test_robots_that_inherit_a_rule_get_its_comment(site):
    built = site({"robots.toml": "inherit = true", "robots.d/map.txt": MAP})

    assert built.body.decode().count("Disallow: /map/ # it has no end") == 2
    assert built.body.decode().count("# The map") == 1


def test_equal_lines_of_two_owners_keep_both_comments(site):
    files = {
        "robots.d/one.txt": "User-agent: * # one\nDisallow: /~one/x # private\n",
        "robots.d/site.txt": "User-agent: * # site\nDisallow: /~one/x # of one\n",
        "robots.d/two.txt": "User-agent: * # one\nDisallow: /two/\n",
    }

    assert site(files).body.decode() == (
        "# site\nUser-agent: * # one\n# of one\nDisallow: /~one/x # private\nDisallow: /two/\n"
    )


def test_line_without_effect_leaves_its_comment_to_the_next(site):
    files = {"robots.d/a.txt": "User-agent: *\n# nothing\nDisallow: # empty\nDisallow: /a/b # c\n"}

    assert site(files).body.decode() == "User-agent: *\n# nothing\n# empty\nDisallow: /a/b # c\n"


def test_one_line_for_several_statements_has_their_comments(site):
    files = {
        "robots.d/site.txt": "User-agent: *\n# a\nContent-Signal: search=yes # b\n# c\nContent-Signal: ai-train=no # d\n"
    }

    assert site(files).body.decode() == (
        "User-agent: *\nDisallow:\n# a\n# c\n# d\nContent-Signal: search=yes, ai-train=no # b\n"
    )


PLAN = {
    "comment": "Ask the web team\n\n# before you change this",
    "groups": [
        {"agents": ["a", "b"], "comment": ["slow", "robots"], "crawl_delay": 9},
        {"purposes": "archive", "comment": "archives", "disallow": "/x"},
    ],
    "environments": {"staging": {"closed": True}, "test": {"comment": "Test"}},
}


def test_comments_of_a_plan():
    text = comity.build(PLAN).body.decode()

    assert text.startswith(
        "# Ask the web team\n#\n# before you change this\n\n# slow\n# robots\nUser-agent: a\nUser-agent: b\n"
    )
    assert text.count("# archives\n") == 1
    assert (
        comity.build(PLAN, environment="staging")
        .body.decode()
        .startswith("# Ask the web team\n#\n# before you change this\n\nUser-agent: *\n")
    )


def test_environment_with_another_comment_is_as_open():
    built = comity.build(PLAN, environment="test")

    assert built.body.startswith(b"# Test\n\n# slow\n")
    assert "plan: environments.test changes nothing" in texts(built)[0]


def test_provenance_is_above_the_comments(site):
    built = site({"robots.d/map.txt": MAP}, provenance=True)

    assert b"# from robots.d/map.txt:2:1\n# The map\nUser-agent: *\n" in built.body


@pytest.mark.parametrize(
    "line", ["# a\x0bDisallow: /", "# a\u2028Disallow: /", "# a\x85b", "# \x1b[31m", "##ACAP version=1.1"]
)
def test_invalid_comments(site, line):
    """A line end that only some robots know must not turn a part of a comment into a rule."""
    with pytest.raises(InvalidPlan, match=r"a.txt:2:1?\d?:? ?"):
        site({"robots.d/a.txt": f"User-agent: *\nDisallow: /a/ {line}\n"})
    with pytest.raises(InvalidPlan, match=r"plan: groups\.comment: "):
        comity.build({"groups": {"agents": "*", "comment": line}})


@pytest.mark.parametrize(
    "text", [b"# \xc3\x85Disallow: /", b"# a\x85 user-agent:*", b"# \xe2\x80\x85b \xc3\x85Allow:/"]
)
def test_comment_is_not_a_rule_for_parsers_of_latin_1(site, text):
    with pytest.raises(InvalidPlan, match="a line end in Latin-1"):
        site({"robots.d/a.txt": b"User-agent: *\n" + text + b"\nDisallow: /a/\n"})
    with pytest.raises(InvalidPlan, match="a line end in Latin-1"):
        comity.build({"comment": text.decode(errors="surrogateescape"), "close": "/a"})


@pytest.mark.parametrize("text", ["# \xc5rets side: /b", "# Malm\xf6 \xc5 https://example.com/ Disallow: /"])
def test_comment_with_letters_that_end_with_byte_85(text):
    assert comity.build({"comment": text, "close": "/a"}).body.startswith(text.encode())


@pytest.mark.parametrize("value", [1, True, {"a": "b"}, ["a", 2]])
def test_invalid_comment_of_a_plan(value):
    with pytest.raises(InvalidPlan, match=r"plan: comment"):
        comity.build({"comment": value})


_comments = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=8)


@given(comments=st.lists(_comments, min_size=4, max_size=4))
def test_no_comment_is_lost_and_none_changes_a_rule(comments):
    """The plan writes the same rules with and without comments."""
    head, group, *_ = comments
    plan = {"close": ["/a"], "groups": [{"agents": "b", "disallow": "/b"}]}
    commented = {
        "comment": head,
        "close": ["/a"],
        "groups": [{"agents": "b", "disallow": "/b", "comment": group}],
    }
    text = comity.build(commented).body.decode(errors="surrogateescape")

    assert [line for line in text.split("\n") if line and line[0] != "#"] == [
        line for line in comity.build(plan).body.decode().split("\n") if line
    ]
    assert head.strip(" ") in text
    assert group.strip(" ") in text
