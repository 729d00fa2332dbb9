"""Rules that can never win, by automata and by trying all paths."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dialects

import comity
import comity.site.compare.automata.alphabet
from comity.site.compare.unreachable_rules import match_everything, match_nothing, never_wins


def rules_of(lines, dialect="rfc9309"):
    return comity.parse("\n".join(["User-agent: *", *lines]), dialect=dialect).rules_for("ExampleBot")


CASES = [
    # authority, dialect, rules, {line that never wins: the lines that outrank it}
    ("rfc 2.2.2: a tie goes to allow", "rfc9309", ["Disallow: /a", "Allow: /a"], {2: [3]}),
    ("rfc 2.2.2: as many octets, the first stands for both", "rfc9309", ["Disallow: /a", "Disallow: /a"], {3: [2]}),
    ("rfc 2.2.2: the longest wins wherever it matches", "rfc9309", ["Disallow: /a", "Disallow: /a/b"], {}),
    ("rfc 2.2.3: a pattern that ends in * is longer", "rfc9309", ["Disallow: /a", "Disallow: /a*"], {2: [3]}),
    ("rfc 2.2.3: /a$ and what follows cover /a", "rfc9309", ["Disallow: /a", "Allow: /a**", "Allow: /a$"], {2: [3], 4: [3]}),
    ("rfc 2.2.2: escapes are compared decoded", "rfc9309", ["Disallow: /%61", "Allow: /a"], {2: [3]}),
    ("rfc 2.2.2: /robots.txt is open", "rfc9309", ["Disallow: /robots.txt$"], {2: []}),
    ("google: the parser knows no /robots.txt", "google", ["Disallow: /robots.txt$"], {}),
    ("rfc 2.2: an empty pattern asks for nothing", "rfc9309", ["Disallow:", "Disallow: /a"], {}),
    ("comity: a path begins with a slash", "rfc9309", ["Disallow: a", "Disallow: *a"], {2: []}),
    ("draft: the first match decides", "draft1996", ["Disallow: /a", "Allow: /a/b", "Allow: /"], {3: [2]}),
    ("draft: an empty Disallow matches all", "draft1996", ["Disallow:", "Disallow: /a"], {3: [2]}),
    ("1994: the first match decides", "1994", ["Disallow: /", "Disallow: /a"], {3: [2]}),
    ("google: /index.html opens its directory too", "google", ["Allow: /index.html", "Disallow: /$"], {3: [2]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("authority", "dialect", "lines", "expected"), CASES, ids=[case[0] for case in CASES]
)
def test_table(authority, dialect, lines, expected):
    found = never_wins(rules_of(lines, dialect))

    assert {never.rule.line: [rule.line for rule in never.by] for never in found} == expected
    assert all(never.explain().startswith(f"line {never.rule.line} ") for never in found)


def test_many_rules_may_outrank_one_together():
    """Each character of a URI is a rule of its own, and one more says what is when nothing follows."""
    others = [f"Allow: /{character}" for character in comity.site.compare.automata.alphabet._FILLERS]
    others += ["Allow: /?", "Allow: /[", "Allow: /]", "Allow: /%", "Allow: /$"]
    found = never_wins(rules_of(["Disallow: /", *others]))

    assert [never.rule.line for never in found] == [2]
    assert len(found[0].by) == len(others)
    assert never_wins(rules_of(["Disallow: /", *others[1:]])) == ()


def test_rules_that_match_everything_or_nothing():
    lines = ["Disallow: /", "Allow: *", "Allow: /*$", "Disallow: /?", "Disallow: x", "Disallow:", "Allow: $"]
    rules = rules_of(lines)

    assert [rule.line for rule in match_everything(rules)] == [2, 3, 4]
    assert [rule.line for rule in match_nothing(rules)] == [6, 8]


patterns = st.text("/ab*$", max_size=5).map("/".__add__) | st.text("/ab*$", max_size=4)
lines = st.lists(st.builds("{}: {}".format, st.sampled_from(["Allow", "Disallow"]), patterns), max_size=7)
PATHS = ["/" + "".join(path) for size in range(6) for path in product("/abz", repeat=size)]
URLS = ["https://example.com" + path for path in PATHS]


@given(lines, dialects)
def test_a_rule_that_never_wins_is_outranked_on_all_paths(lines, dialect):
    rules = rules_of(lines, dialect)
    never = {never.rule: never.by for never in never_wins(rules)}
    for url in URLS:
        verdict = rules.check(url)
        matching = (*filter(None, [verdict.rule]), *verdict.overruled)
        assert verdict.rule not in never
        for place, rule in enumerate(matching):
            if rule in never:
                assert set(matching[:place]) & set(never[rule]), url


@given(lines, st.sampled_from(["rfc9309", "google"]))
def test_a_rule_that_wins_nowhere_is_found(lines, dialect):
    """Patterns of five characters show on short paths what they do; a `$` within one is a character."""
    lines = [line for line in lines if "$" not in line[:-1] and line.count("*") < 2]
    rules = rules_of(lines, dialect)
    winners = {rules.check(url).rule for url in URLS}
    written = {rule for group in rules.groups for rule in group.rules if rule.pattern}

    assert written - winners <= {never.rule for never in never_wins(rules)}
