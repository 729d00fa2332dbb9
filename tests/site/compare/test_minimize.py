"""`comity.minimize`: the same verdicts with fewer rules."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import bodies, dialects

import comity

CASES = [
    # source, dialect, file, removed lines
    ("rfc 2.2.2: closed already", "rfc9309", "User-agent: *\nDisallow: /a\nDisallow: /a/b", [3]),
    ("rfc 2.2.2: open already", "rfc9309", "User-agent: *\nDisallow: /a\nAllow: /b\nAllow: /", [3, 4]),
    ("rfc 2.2.2: a tie goes to allow", "rfc9309", "User-agent: *\nAllow: /a\nDisallow: /a\nDisallow: /b", [2, 3]),
    ("rfc 2.2.2: alternating", "rfc9309", "User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a/b\nAllow: /a/b/c", []),
    ("rfc 2.2.3: closed by a pattern", "rfc9309", "User-agent: *\nDisallow: /*?\nDisallow: /a/*?b", [3]),
    ("rfc 2.2.3: covered by two together", "rfc9309", "User-agent: *\nDisallow: /*a$\nDisallow: /*a*x\nDisallow: /*a\n", [2, 3]),
    ("rfc 2.2.1: groups of one name merge", "rfc9309", "User-agent: A\nDisallow: /x\nDisallow: /y\n\nUser-agent: a\nDisallow: /x\nDisallow: /z\nDisallow: /y/z", [6, 8]),
    ("rfc 2.2.1: a rule that one robot needs is kept", "rfc9309", "User-agent: A\nDisallow: /\n\nUser-agent: A\nUser-agent: B\nDisallow: /x\nDisallow: /y", []),
    ("comity: a group keeps its last rule", "rfc9309", "User-agent: A\nAllow: /\nAllow: /a\n\nUser-agent: B\nDisallow: /", [3]),
    ("draft: the first match decides", "draft1996", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /b", [3]),
    ("1994: a prefix", "1994", "User-agent: *\nDisallow: /a/b\nDisallow: /a", [2]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "dialect", "body", "lines"), CASES, ids=[case[0] for case in CASES])
def test_removed_rules(source, dialect, body, lines):
    small = comity.minimize(body, dialect=dialect)

    assert [rule.line for rule in small.removed] == lines
    assert small.undecided == ()
    expected = [line for number, line in enumerate(body.split("\n"), 1) if number not in lines]
    assert small.body.decode().splitlines() == expected if expected[-1] else True
    assert comity.site.equivalent(body, small.body, dialect=dialect)


def test_fewest_needs_plain_prefixes():
    assert comity.minimize("User-agent: *\nDisallow: /a\nDisallow: /a/b").fewest
    assert not comity.minimize("User-agent: *\nDisallow: /a$").fewest
    assert not comity.minimize("User-agent: *\nDisallow: /a", dialect="1994").fewest
    assert not comity.minimize("User-agent: A\nDisallow: /a\n\nUser-agent: A\nDisallow: /b").fewest


FEWEST = [
    ("one group could name both robots", "User-agent: A\nDisallow: /a\n\nUser-agent: B\nDisallow: /a", False),
    ("groups without a common rule", "User-agent: A\nDisallow: /a\n\nUser-agent: B\nDisallow: /b", True),
    ("a rule that only keeps its group", "User-agent: A\nAllow: /\n\nUser-agent: B\nDisallow: /b", False),
    ("a rule without a path", "User-agent: *\nDisallow:", False),
]


@pytest.mark.parametrize(("case", "body", "fewest"), FEWEST, ids=[case[0] for case in FEWEST])
def test_fewest_concerns_the_whole_file(case, body, fewest):
    assert comity.minimize(body).fewest is fewest


def test_thousands_of_equal_rules():
    small = comity.minimize("User-agent: *\n" + "Disallow: /x\n" * 20_000)

    assert small.body == b"User-agent: *\nDisallow: /x\n"
    assert (len(small.removed), small.kept, small.undecided, small.fewest) == (19_999, 1, (), True)


def test_repeated_rules_are_removed_without_states():
    rules = [f"Disallow: /*{at}*a" for at in range(300)]
    small = comity.minimize("\n".join(["User-agent: *", *rules, *rules]), states=2)

    assert [rule.line for rule in small.removed] == list(range(302, 602))
    assert small.undecided


OWN = [
    # source, file, lines removed by default, lines removed by rfc9309
    ("google: escapes are not decoded", "User-agent: *\nDisallow: /~a\nDisallow: /%7Ea", [], [3]),
    ("google: /robots.txt is an ordinary path", "User-agent: *\nDisallow: /\nAllow: /robots.txt$", [], [3]),
    ("rfc 2.2.2: a rule that one dialect needs is kept", "User-agent: *\nDisallow: /\nAllow: /index.html\nAllow: /$", [], []),
    ("rfc 2.2.2: closed already", "User-agent: *\nDisallow: /a\nDisallow: /a/b", [3], [3]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "body", "lines", "rfc"), OWN, ids=[case[0] for case in OWN])
def test_default_respects_both_dialects(source, body, lines, rfc):
    small = comity.minimize(body)

    assert [rule.line for rule in small.removed] == lines
    assert [rule.line for rule in comity.minimize(body, dialect="rfc9309").removed] == rfc
    assert not comity.diff(body, small.body)


@example(
    b"User-agent: \nUser-agent: * x\nAllow: /\nDisallow: //\nUser-agent: *\nDisallow: /"
)  # an empty name
@given(bodies)
def test_meaning_is_unchanged_for_all_robots(body):
    small = comity.minimize(body, states=20_000)

    assert comity.site.equivalent(body, small.body) is not False


def test_undecided_rules_are_kept_when_states_run_out():
    rules = [f"{'Allow' if at % 2 else 'Disallow'}: /*{at:02}{'*' * at}" for at in range(24)]
    small = comity.minimize("\n".join(["User-agent: *", *rules]), states=2)

    assert small.undecided
    assert small.removed == ()
    assert not small.fewest


def test_cr_and_lf_do_not_become_one_line_end():
    """Without the rule between them, CR and LF would become one line end, and the blank line would disappear."""
    body = b"User-agent: *\nDisallow: /\rDisallow: /a\n\nDisallow: /x\n\nUser-agent: A\nDisallow: /"
    small = comity.minimize(body, dialect="draft1996")

    assert [rule.line for rule in small.removed] == [3]
    assert small.body == b"User-agent: *\nDisallow: /\r\n\nDisallow: /x\n\nUser-agent: A\nDisallow: /"


patterns = st.text("/ab*$", max_size=4).map("/".__add__)
rules = st.builds("{}: {}".format, st.sampled_from(["Allow", "Disallow"]), patterns)
names = st.sampled_from(["*", "A", "B", "AB"]).map("User-agent: {}".format)
groups = st.builds(
    lambda names, rules: [*names, *rules, ""],
    st.lists(names, min_size=1, max_size=2),
    st.lists(rules, min_size=1, max_size=5),
)
files = st.lists(groups, min_size=1, max_size=3).map(lambda groups: "\n".join(line for group in groups for line in group))  # fmt: skip
URLS = ["https://example.com/" + "".join(path) for size in range(5) for path in product("/abx$", repeat=size)]


@given(files, dialects)
def test_no_verdict_changes_and_no_rule_is_redundant(body, dialect):
    small = comity.minimize(body, dialect=dialect)
    old, new = comity.parse(body, dialect=dialect), comity.parse(small.body, dialect=dialect)

    for agent in ("*", "A", "B", "AB", "ABC"):
        assert old.rules_for(agent).allowed_many(URLS) == new.rules_for(agent).allowed_many(URLS)
    assert len(new.groups) == len(old.groups)
    assert small.kept == sum(len(group.rules) for group in new.groups)
    lines = small.body.decode().split("\n")
    if dialect in ("draft1996", "1994"):
        return  # a group that applies to no robot keeps its rules
    for group in new.groups:
        for rule in group.rules if len(group.rules) > 1 else ():
            rest = [line for number, line in enumerate(lines, 1) if number != rule.line]
            assert comity.diff(small.body, "\n".join(rest), dialect=dialect, agents=["*", "A", "B", "AB"]), (
                rule
            )


@given(bodies, dialects)
def test_meaning_of_any_file_is_unchanged(body, dialect):
    small = comity.minimize(body, dialect=dialect, states=2000)

    assert comity.site.equivalent(body, small.body, dialect=dialect) is not False
    assert comity.parse(small.body, dialect=dialect).sitemaps == comity.parse(body, dialect=dialect).sitemaps
