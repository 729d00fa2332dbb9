"""The compiled engine and the reference give the same answers for any input."""

import os
import subprocess
import sys
import threading

import pytest
from compiled_engine import compiled
from hypothesis import given
from hypothesis import strategies as st
from strategies import agents, bodies, dialects, urls

import comity
from comity.protocol.origin import RelativeReference
from comity.protocol.robotstxt.engine import paths
from comity.protocol.robotstxt.engine import reference as reading
from comity.protocol.robotstxt.engine.dialect import DIALECTS
from comity.protocol.robotstxt.engine.matcher import compile_pattern, matches
from comity.protocol.robotstxt.engine.reference import RankedRules
from comity.protocol.robotstxt.engine.selection import names_of
from comity.protocol.robotstxt.engine.verdict import Reason


def what(raw_group):
    return raw_group.agents, raw_group.rules, raw_group.fields


class ReferenceFile(reading.FileAnswers):
    """A file as the reference engine answers for it, whichever engine is in use."""

    def rules_for(self, agent):
        return RankedRules(self.dialect, self._reading.select(names_of(agent))[1])


def same_reading(body, dialect):
    """Read a body with both engines, check that the results are equal, and return both readings."""
    one, other = reading.Reading(body, dialect), compiled.Reading(body, dialect)
    assert [what(group) for group in one.groups] == [what(group) for group in other.groups]
    assert list(one.whole_file) == list(other.whole_file)
    assert list(one.strays) == list(other.strays)
    assert one.has_groups is other.has_groups
    assert one.values == other.values
    return one, other


def same_answers(one, other, names, several, dialect):
    """Ask both engines for a robot, and hold every answer and verdict equal."""
    name, groups = one.select(names)
    other_name, chosen = other.select(names)
    assert name == other_name
    reference = RankedRules(dialect, groups)
    twins = [compiled.RankedRules(dialect, chosen), compiled.RankedRules(dialect, groups)]
    for twin in twins:
        assert [what(group) for group in twin.raw_groups] == [what(group) for group in reference.raw_groups]
        for _ in range(3):
            for url in several:
                assert twin.allowed(url) is reference.allowed(url), url
                assert verdict(twin, url) == verdict(reference, url), url
        assert twin.allowed_many(several) == reference.allowed_many(several)
    for url in several:  # the first question of all is answered without an index, and without patterns
        assert RankedRules(dialect, groups).allowed(url) is reference.allowed(url), url
        assert compiled.RankedRules(dialect, chosen).allowed(url) is reference.allowed(url), url


def verdict(engine, url):
    groups = engine.values
    agents, lines = tuple(group.agents[0] for group in groups), tuple(group.line for group in groups)
    try:
        return engine.verdict(url, ("x", "*", Reason.FILE_WITHOUT_GROUPS, groups, agents, lines, ()))
    except RelativeReference as doubt:
        return doubt.readings


@given(bodies, dialects)
def test_engines_read_groups_equally(body, dialect):
    same_reading(body, DIALECTS[dialect])


@given(st.binary(max_size=400), dialects)
def test_engines_read_any_bytes_equally(body, dialect):
    same_reading(body, DIALECTS[dialect])


@given(bodies, dialects, st.lists(agents, min_size=1, max_size=3), st.lists(urls, max_size=8))
def test_engines_answer_equally(body, dialect, several_agents, several):
    dialect = DIALECTS[dialect]
    one, other = same_reading(body, dialect)
    names = [comity.product_token(agent) for agent in several_agents]
    same_answers(one, other, names, several, dialect)


@given(bodies, dialects, agents, st.lists(urls, max_size=8))
def test_first_answers_of_a_file_equal_later_ones(body, dialect, agent, several):
    """Both engines answer the first question to a file while they read it."""
    chosen = DIALECTS[dialect]
    _, groups = reading.Reading(body, chosen).select(names_of(agent))
    reference = RankedRules(chosen, groups)
    for url in several:
        for robots in (comity.parse(body, dialect=dialect), ReferenceFile(body, chosen)):
            for _ in range(3):
                assert robots.allowed(url, agent=agent) is reference.allowed(url), url


@given(st.text(), dialects)
def test_engines_accept_any_url_equally(url, dialect):
    body = b"User-agent: *\nDisallow: /a\nAllow: /*b$\nDisallow: /%C3\nAllow: /a?x=/"
    dialect = DIALECTS[dialect]
    one, other = same_reading(body, dialect)
    answers = []
    for policy_of in (
        RankedRules(dialect, one.groups),
        compiled.RankedRules(dialect, other.select(["x"])[1]),
    ):
        try:
            answers.append(policy_of.allowed(url))
        except comity.InvalidURL as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


pieces = st.text("ab/", max_size=12)
many_patterns = st.lists(
    st.builds(
        lambda head, tail, end: f"/{head}{tail}{end}",
        pieces,
        st.sampled_from(["", "*", "*a", "*b/*a"]),
        st.sampled_from(["", "$"]),
    ),
    min_size=20,
    max_size=80,
)


@given(
    many_patterns,
    st.lists(st.booleans(), min_size=80, max_size=80),
    st.lists(pieces, min_size=1, max_size=12),
)
def test_index_agrees_with_scan(patterns, allows, tails):
    """Enough patterns for an index, and enough questions to use it."""
    rules = [
        f"{'Allow' if allow else 'Disallow'}: {pattern}"
        for pattern, allow in zip(patterns, allows, strict=False)
    ]
    body = "\n".join(["User-agent: *", *rules]).encode()
    one, other = same_reading(body, comity.protocol.robotstxt.RFC9309)
    twin = compiled.RankedRules(comity.protocol.robotstxt.RFC9309, other.select(["x"])[1])
    for _ in range(10):
        twin.allowed("/")
    reference = RankedRules(comity.protocol.robotstxt.RFC9309, one.groups)
    for tail in tails:
        assert twin.allowed("/" + tail) is reference.allowed("/" + tail)
        assert verdict(twin, "/" + tail) == verdict(reference, "/" + tail)


@pytest.mark.parametrize("rule", ["Disallow: $", "Allow: $", "Disallow: *$", "Disallow: *", "Disallow: /$"])
def test_pattern_without_prefix_among_many(rule):
    """As answered with the index and without: `$` matches no path, since a path has a slash."""
    body = b"User-agent: *\n" + b"Disallow: /a\nAllow: /b\n" * 60 + rule.encode()
    one, other = same_reading(body, comity.protocol.robotstxt.RFC9309)
    same_answers(one, other, ["x"], ["/", "/c", "", "/a", "/b"], comity.protocol.robotstxt.RFC9309)
    reference = RankedRules(comity.protocol.robotstxt.RFC9309, one.groups)
    several = [[reference.allowed(url) for url in ("/", "/c", "/a", "/b")] for _ in range(200)]
    assert several == several[:1] * 200


@pytest.mark.parametrize("url", ["", "x", "e/x", "x/e", "/", "\0", "?e"])
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_ambiguous_relative_references(url, dialect):
    """The first question of all too, whose rules are not made ready yet."""
    body = b"User-agent: *\nDisallow: /e\nAllow: /x\nAllow: $\nDisallow: /x/e\nDisallow:"
    one, other = same_reading(body, DIALECTS[dialect])
    same_answers(one, other, ["x"], [url], DIALECTS[dialect])


crowds = st.lists(
    st.builds(
        lambda head, pieces, end: f"/{head}*{'*'.join(pieces)}{end}",
        st.sampled_from(["", "", "a", "a/b"]),
        st.lists(st.text("ab/", max_size=5), min_size=1, max_size=3),
        st.sampled_from(["", "$"]),
    ),
    min_size=20,
    max_size=80,
)


@given(
    crowds,
    st.lists(st.booleans(), min_size=80, max_size=80),
    st.lists(st.text("ab/", max_size=20), min_size=1, max_size=12),
)
def test_many_wildcards_agree_with_scan(patterns, allows, tails):
    """Enough wildcards with one prefix to be found by three of their bytes."""
    test_index_agrees_with_scan.hypothesis.inner_test(patterns, allows, tails)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 24, 25, 64, 1000])
def test_prefixes_of_every_length(size):
    """Prefixes of each other, as many as lead to an index."""
    rules = [
        f"Disallow: /{'a' * n}{end}" for n in range(max(size - 12, 0), size + 12) for end in ("", "b", "*c")
    ]
    rules = rules[::2] + [rule.replace("Disallow", "Allow") for rule in rules[1::2]]
    body = "\n".join(["User-agent: *", *rules]).encode()
    one, other = same_reading(body, comity.protocol.robotstxt.RFC9309)
    several = [
        "/" + "a" * (size + n) + end
        for n in range(-3, 14)
        if size + n >= 0
        for end in ("", "b", "bc", "xc", "$")
    ]
    same_answers(one, other, ["x"], several, comity.protocol.robotstxt.RFC9309)


@pytest.mark.parametrize("replacements", [
    {"empty_disallow": "allow"},
    {"precedence": "first"},
    {"wildcards": False, "escapes": "none"},
    {"escapes": "none"},
    {"escapes": "draft1996", "wildcards": False},
    {"index_pages": True},
    {"agent_match": "value-in-name"},
    {"agent_match": "substring"},
    {"merges_named": False, "merges_default": False},
    {"blank_line_ends_group": True, "line_limit": 9, "nul_ends_line": True},
    {"allow": False, "typos": False, "opens_robots_txt": False},
])  # fmt: skip
@given(body=bodies, several=st.lists(urls, max_size=5))
def test_engines_agree_in_custom_dialects(replacements, body, several):
    dialect = comity.protocol.robotstxt.RFC9309.replace(name="own", **replacements)
    one, other = same_reading(body, dialect)
    same_answers(one, other, ["ExampleBot"], several, dialect)


@pytest.fixture
def restless():
    """Switch between threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
def test_threads_share_unprepared_rules(restless, dialect):
    """Rules that the reference has to spell are made ready while other threads ask."""
    count = 1200
    body = "User-agent: *\n" + "".join(f"Disallow: /p{n}?u=%2fx:\u00e9\n" for n in range(count))
    for _ in range(3):
        rules = comity.parse(body, dialect=dialect).rules_for("x")
        wrong = []

        def ask(rules=rules, wrong=wrong):
            for n in range(0, count, 31):
                if rules.allowed(f"/p{n}?u=%2Fx:%C3%A9") or not rules.allowed(f"/q{n}"):
                    wrong.append(n)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_thread_waits_while_rules_are_prepared(monkeypatch):
    body = b"User-agent: *\n" + b"Disallow: /p?u=%2fx:\n" * 60
    chosen = compiled.Reading(body, comity.protocol.robotstxt.RFC9309).select(["x"])[1]
    rules = compiled.RankedRules(comity.protocol.robotstxt.RFC9309, chosen)
    real, others = paths.query_spellings, []

    def meanwhile(pattern):
        if not others:
            others.append(threading.Thread(target=lambda: [rules.allowed("/p?u=%2Fx:") for _ in range(12)]))
            others[0].start()
            others[0].join(0.05)
        return real(pattern)

    monkeypatch.setattr(paths, "query_spellings", meanwhile)
    assert [rules.allowed("/p?u=%2Fx:") for _ in range(60)] == [False] * 60
    others[0].join()


def test_environment_variable_selects_engine():
    code = "import comity; print(comity.engine)"
    for pure, name in (("1", "reference"), ("", "compiled")):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "COMITY_PURE": pure},
            capture_output=True,
            encoding="utf-8",
        )
        assert run.stdout.strip() == name, run.stderr


def test_subinterpreter_uses_reference():
    code = (
        "import sys, comity, IMPORT as interpreters\n"
        "run = getattr(interpreters, 'run_string', None) or interpreters.exec\n"
        "failed = run(interpreters.create(), 'import comity; assert comity.engine == \"reference\";'\n"
        '  \'assert not comity.parse("User-agent: *\\\\nDisallow: /x").allowed("/x", agent="a")\')\n'
        "print(failed, comity.engine)"
    )
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    run = subprocess.run(
        [sys.executable, "-c", code.replace("IMPORT", module)], capture_output=True, encoding="utf-8",
        env={**os.environ, "COMITY_PURE": ""},
    )  # fmt: skip
    assert run.stdout.strip() == "None compiled", run.stderr


def test_pickles_work_across_engines():
    code = (
        "import sys, pickle, comity; rules = pickle.loads(sys.stdin.buffer.read()) if len(sys.argv) > 1 else "
        "comity.parse('User-agent: *\\nDisallow: /a*b\\nCrawl-delay: 3').rules_for('x');"
        "assert (rules.allowed('/ab'), rules.allowed('/b'), rules.crawl_delay) == (False, True, 3.0);"
        "sys.stdout.buffer.write(pickle.dumps(rules))"
    )

    def run(pure, *arguments, given=b""):
        environment = {**os.environ, "COMITY_PURE": pure}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=environment,
            input=given,
            capture_output=True,
            check=True,
        ).stdout

    assert run("", "load", given=run("1")) == run("1", "load", given=run(""))


@given(st.text("ab*$", max_size=12), st.text("ab", max_size=16))
def test_engines_match_wildcards_equally(pattern, path):
    dialect = comity.protocol.robotstxt.RFC9309
    body = f"User-agent: *\nDisallow: /{pattern}".encode()
    twin = compiled.RankedRules(dialect, compiled.Reading(body, dialect).select(["x"])[1])
    written = "/" + pattern[:-1].replace("$", "%24") + pattern[-1:]

    assert twin.allowed("/" + path) is not matches(compile_pattern(written, wildcards=True), "/" + path)
