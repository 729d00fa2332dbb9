"""Properties that hold for every file, found out by hypothesis."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import agents, bodies, dialects, line_lists, paths, patterns, rule_lines, texts, urls

import comity
from comity.protocol.robotstxt.engine import lexer
from comity.protocol.robotstxt.engine.matcher import Matcher, compile_pattern, matches


@given(bodies, dialects)
def test_lines_joined_are_the_input(body, dialect):
    robots = comity.parse(body, dialect=dialect)

    assert b"".join(line.raw for line in robots.lines) == body


@given(bodies, dialects)
def test_spans_are_ordered_and_inside_their_line(body, dialect):
    for line in comity.parse(body, dialect=dialect).lines:
        spans = (0, line.name_start, line.name_end, line.value_start, line.value_end, len(line.text))
        assert list(spans) == sorted(spans)
        assert body[line.start : line.end] == line.text
        assert line.value_end <= line.comment_start <= len(line.text)


@given(bodies, dialects)
def test_both_readers_of_lines_agree(body, dialect):
    dialect = comity.parse(b"", dialect=dialect).dialect
    whole = [
        (line.number, line.field, line.value) for line in lexer.robots_lines(body, dialect) if line.field
    ]

    assert [record for record in lexer.robots_fields(body, dialect) if record[1] != lexer.BLANK] == whole


@given(bodies, dialects, urls, agents)
def test_any_bytes_are_parsed_and_answered(body, dialect, url, agent):
    robots = comity.parse(body, dialect=dialect)
    verdict = robots.check(url, agent=agent)

    assert verdict.allowed is robots.allowed(url, agent=agent)
    assert verdict.explain().isprintable()
    assert all(problem.message.isprintable() for problem in robots.diagnostics)
    if verdict.rule is not None:
        assert verdict.group is not None
        assert verdict.rule in verdict.group.rules
    if not verdict.allowed:
        assert verdict.rule is not None
        assert not verdict.rule.allow


@given(st.binary(max_size=300), dialects)
def test_diagnostics_are_inside_the_file(body, dialect):
    robots = comity.parse(body, dialect=dialect)
    lines = robots.lines
    for problem in robots.diagnostics:
        assert 1 <= problem.column <= problem.end_column <= len(lines[problem.line - 1].text) + 1


@pytest.mark.filterwarnings("ignore:.*this text is:UserWarning")  # of a file name or a URL
@given(st.text(), dialects)
@example("robots.txt", "rfc9309")
def test_any_text_is_parsed(text, dialect):
    comity.parse(text, dialect=dialect).diagnostics  # noqa: B018  # it must not raise


@given(
    st.lists(st.tuples(agents, st.lists(rule_lines, min_size=1, max_size=4)), max_size=5),
    urls,
    agents,
    st.randoms(),
)
def test_order_of_groups_is_irrelevant(groups, url, agent, random):
    """RFC 9309 2.2.1 and 2.2.2: groups merge, and length decides."""
    written = ["\n".join([f"User-agent: {name}", *rules]) for name, rules in groups]
    before = comity.parse("\n".join(written)).allowed(url, agent=agent)
    random.shuffle(written)

    assert comity.parse("\n".join(written)).allowed(url, agent=agent) is before


@given(
    line_lists, st.integers(0, 14), st.sampled_from(["", "   ", "# a note", "\t# Disallow: /"]), urls, agents
)
def test_a_blank_or_comment_line_changes_nothing(lines, at, added, url, agent):
    before = comity.parse("\n".join(lines)).allowed(url, agent=agent)
    lines = [*lines[:at], added, *lines[at:]]

    assert comity.parse("\n".join(lines)).allowed(url, agent=agent) is before


@given(line_lists, st.integers(0, 14), urls, agents, dialects)
def test_a_comment_line_changes_nothing_in_any_dialect(lines, at, url, agent, dialect):
    before = comity.parse("\n".join(lines), dialect=dialect).allowed(url, agent=agent)
    lines = [*lines[:at], "# a note", *lines[at:]]

    assert comity.parse("\n".join(lines), dialect=dialect).allowed(url, agent=agent) is before


@given(st.lists(rule_lines, min_size=1, max_size=6), st.integers(0, 6), urls)
def test_splitting_a_group_in_two_changes_nothing(rules, at, url):
    whole = "\n".join(["User-agent: ExampleBot", *rules])
    split = "\n".join(["User-agent: ExampleBot", *rules[:at], "User-agent: ExampleBot", *rules[at:]])
    for dialect in ("rfc9309", "google"):
        answers = [
            comity.parse(text, dialect=dialect).allowed(url, agent="ExampleBot") for text in (whole, split)
        ]
        assert answers[0] is answers[1]


@given(patterns, urls, st.lists(rule_lines, max_size=4), st.sampled_from(["rfc9309", "google"]))
def test_allow_wins_ties(pattern, url, others, dialect):
    text = "\n".join(["User-agent: *", *others, f"Disallow: {pattern}", f"Allow: {pattern}"])
    verdict = comity.parse(text, dialect=dialect).check(url, agent="ExampleBot")

    if verdict.rule is not None and verdict.rule.pattern == pattern.strip():
        assert verdict.allowed


@given(st.lists(rule_lines, max_size=6), urls)
def test_only_longer_rules_of_other_kind_overrule(rules, url):
    verdict = comity.parse("\n".join(["User-agent: *", *rules])).check(url, agent="ExampleBot")

    if verdict.rule is not None:
        assert verdict.octets >= 1
    else:
        assert verdict.overruled == ()


@given(st.text("%/234Fabf?*$", max_size=12), st.sampled_from(["rfc9309", "google"]))
@example("%%341", "rfc9309")
def test_normalized_path_is_not_decoded_again(text, dialect):
    """RFC 9309 2.2.2: `%2541` is the text `%41`, and not the letter A."""
    url = comity.parse(b"", dialect=dialect).check("/" + text, agent="x").path

    assert comity.parse(b"", dialect=dialect).check(url, agent="x").path == url


@given(paths, paths)
def test_disallowed_prefix_disallows_longer_paths(prefix, rest):
    """Without wildcards, what extends a closed path is closed."""
    prefix = prefix.replace("*", "").replace("$", "").strip()
    robots = comity.parse(f"User-agent: *\nDisallow: {prefix}")
    url = "https://example.com" + prefix + rest.lstrip("/")
    if prefix.endswith("%") or prefix[-2:-1] == "%":
        return  # an escape torn apart is another path

    assert not robots.allowed(url, agent="x") or prefix == "/robots.txt"


def _reference(pattern: str, path: str) -> bool:
    """Match by the definition of `*` and `$`, by dynamic programming."""
    anchored = pattern.endswith("$")
    if anchored:
        pattern = pattern[:-1]
    reachable = {0}
    for character in pattern:
        if character == "*":
            reachable = set(range(min(reachable), len(path) + 1)) if reachable else set()
        else:
            reachable = {at + 1 for at in reachable if path[at : at + 1] == character}
    return (len(path) in reachable) if anchored else bool(reachable)


few = st.text("ab/*$", max_size=10)


@given(few, st.text("ab/", max_size=12))
def test_matching_agrees_with_definition(pattern, path):
    assert matches(compile_pattern(pattern, wildcards=True), path) is _reference(pattern, path)


@given(st.lists(st.tuples(few.map(lambda text: "/" + text), st.booleans()), max_size=120), st.data())
def test_index_agrees_with_scan(rules, data):
    patterns_ = [compile_pattern(pattern, wildcards=True) for pattern, _ in rules]
    closes = [closed for _, closed in rules]
    indexed = Matcher(patterns_, closes)
    for _ in range(20):
        indexed.winner("/")
    for path in data.draw(st.lists(st.text("ab/", max_size=30).map(lambda text: "/" + text), max_size=8)):
        trying = [rank for rank, pattern in enumerate(patterns_) if matches(pattern, path)]
        assert indexed.matching(path) == trying
        assert indexed.winner(path) == (trying[0] if trying else -1)
        assert indexed.allowed(path) is not (bool(trying) and closes[trying[0]])


@given(texts, dialects, agents)
def test_pickles_are_equal(text, dialect, agent):
    robots = comity.parse(text, dialect=dialect)
    rules = robots.rules_for(agent)
    for value in (robots, rules, robots.groups, robots.lines, robots.diagnostics, rules.check("/a")):
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value
        assert hash(copy) == hash(value)


@given(texts, agents, st.lists(urls, max_size=10))
def test_unpickled_rules_answer_equally(text, agent, several):
    rules = comity.parse(text).rules_for(agent)
    copy = pickle.loads(pickle.dumps(rules))

    assert copy.allowed_many(several) == rules.allowed_many(several)
    assert [copy.check(url) for url in several] == [rules.check(url) for url in several]


def test_threads_share_rules():
    body = "User-agent: *\n" + "".join(f"Disallow: /{n}/\nAllow: /{n}/open*\n" for n in range(500))
    several = [f"/{n}/{end}" for n in range(600) for end in ("x", "open")]
    expected = comity.parse(body).rules_for("ExampleBot").allowed_many(several)
    rules = comity.parse(body).rules_for("ExampleBot")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: rules.allowed_many(several), range(16)))

    assert all(answer == expected for answer in answers)


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_very_many_rules_answer_correctly(dialect):
    """The index is built after a few questions; the answers before and after are the same."""
    body = "User-agent: *\n" + "".join(f"Disallow: /d{n}/\n" for n in range(30_000))
    rules = comity.parse(body, dialect=dialect).rules_for("ExampleBot")
    for n in (0, 7, 29_999, 123_456):
        expected = n >= 30_000
        assert [rules.allowed(f"/d{n}/x") for _ in range(12)] == [expected] * 12
        assert rules.check(f"/d{n}/x").line == (None if expected else n + 2)
