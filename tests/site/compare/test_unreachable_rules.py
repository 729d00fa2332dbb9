"""Rules that can never win, compared with the verdicts of all short paths."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dialects

import comity
import comity.site.compare.automata.alphabet
from comity.site.compare.unreachable_rules import (
    rules_matching_everything,
    rules_matching_nothing,
    unreachable_rules,
)


def rules_of(lines, dialect="rfc9309"):
    return comity.parse("\n".join(["User-agent: *", *lines]), dialect=dialect).rules_for("ExampleBot")


CASES = [
    # source, dialect, rules, {line that never wins: the lines that outrank it}
    ("rfc 2.2.2: a tie goes to allow", "rfc9309", ["Disallow: /a", "Allow: /a"], {2: [3]}),
    ("rfc 2.2.2: of equal rules the first counts", "rfc9309", ["Disallow: /a", "Disallow: /a"], {3: [2]}),
    ("rfc 2.2.2: the longest wins wherever it matches", "rfc9309", ["Disallow: /a", "Disallow: /a/b"], {}),
    ("rfc 2.2.3: a pattern that ends in * is longer", "rfc9309", ["Disallow: /a", "Disallow: /a*"], {2: [3]}),
    ("rfc 2.2.3: /a** covers /a and /a$", "rfc9309", ["Disallow: /a", "Allow: /a**", "Allow: /a$"], {2: [3], 4: [3]}),
    ("rfc 2.2.2: escapes are compared decoded", "rfc9309", ["Disallow: /%61", "Allow: /a"], {2: [3]}),
    ("rfc 2.2.2: /robots.txt is always open", "rfc9309", ["Disallow: /robots.txt$"], {2: []}),
    ("google: /robots.txt is an ordinary path", "google", ["Disallow: /robots.txt$"], {}),
    ("rfc 2.2: an empty pattern has no effect", "rfc9309", ["Disallow:", "Disallow: /a"], {}),
    ("comity: a path begins with a slash", "rfc9309", ["Disallow: a", "Disallow: *a"], {2: []}),
    ("draft: the first match decides", "draft1996", ["Disallow: /a", "Allow: /a/b", "Allow: /"], {3: [2]}),
    ("draft: an empty Disallow matches all", "draft1996", ["Disallow:", "Disallow: /a"], {3: [2]}),
    ("1994: the first match decides", "1994", ["Disallow: /", "Disallow: /a"], {3: [2]}),
    ("google: /index.html opens its directory too", "google", ["Allow: /index.html", "Disallow: /$"], {3: [2]}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "dialect", "lines", "expected"), CASES, ids=[case[0] for case in CASES])
def test_unreachable_rules(source, dialect, lines, expected):
    found = unreachable_rules(rules_of(lines, dialect))

    assert {one.rule.line: [rule.line for rule in one.by] for one in found} == expected
    assert all(one.explain().startswith(f"line {one.rule.line} ") for one in found)


def test_many_rules_may_outrank_one_together():
    """One rule for each character of a URI, and one for the end of the path."""
    others = [f"Allow: /{character}" for character in comity.site.compare.automata.alphabet._FILLERS]
    others += ["Allow: /?", "Allow: /[", "Allow: /]", "Allow: /%", "Allow: /$"]
    found = unreachable_rules(rules_of(["Disallow: /", *others]))

    assert [one.rule.line for one in found] == [2]
    assert len(found[0].by) == len(others)
    assert unreachable_rules(rules_of(["Disallow: /", *others[1:]])) == ()


def test_rules_that_match_everything_or_nothing():
    lines = ["Disallow: /", "Allow: *", "Allow: /*$", "Disallow: /?", "Disallow: x", "Disallow:", "Allow: $"]
    rules = rules_of(lines)

    assert [rule.line for rule in rules_matching_everything(rules)] == [2, 3, 4]
    assert [rule.line for rule in rules_matching_nothing(rules)] == [6, 8]


patterns = st.text("/ab*$", max_size=5).map("/".__add__) | st.text("/ab*$", max_size=4)
lines = st.lists(st.builds("{}: {}".format, st.sampled_from(["Allow", "Disallow"]), patterns), max_size=7)
PATHS = ["/" + "".join(path) for size in range(6) for path in product("/abz", repeat=size)]
URLS = ["https://example.com" + path for path in PATHS]


@given(lines, dialects)
def test_unreachable_rule_is_outranked_on_all_paths(lines, dialect):
    rules = rules_of(lines, dialect)
    outranked = {one.rule: one.by for one in unreachable_rules(rules)}
    for url in URLS:
        verdict = rules.check(url)
        matching = (*filter(None, [verdict.rule]), *verdict.overruled)
        assert verdict.rule not in outranked
        for place, rule in enumerate(matching):
            if rule in outranked:
                assert set(matching[:place]) & set(outranked[rule]), url


@given(lines, st.sampled_from(["rfc9309", "google"]))
def test_rule_that_wins_no_path_is_found(lines, dialect):
    """Short paths show all effects of patterns of five characters; a `$` inside a pattern is a character."""
    lines = [line for line in lines if "$" not in line[:-1] and line.count("*") < 2]
    rules = rules_of(lines, dialect)
    winners = {rules.check(url).rule for url in URLS}
    written = {rule for group in rules.groups for rule in group.rules if rule.pattern}

    assert written - winners <= {one.rule for one in unreachable_rules(rules)}
