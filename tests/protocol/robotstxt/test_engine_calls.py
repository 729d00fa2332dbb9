"""The classes of the compiled engine stay sound whatever is called, in any order and with any arguments."""

import contextlib
import copy
import gc
import pickle
import sys
import threading
from pathlib import Path

import pytest
from compiled_engine import compiled

import comity
from comity.protocol.robotstxt.engine.dialect import DIALECTS, GOOGLE, RFC9309
from comity.protocol.robotstxt.rules import Rules

sys.path.append(str(Path(__file__).parents[3] / "fuzz"))
calls, seeds = map(pytest.importorskip, ("calls", "seeds"))

BODY = b"User-agent: *\n" + b"".join(b"Disallow: /*x%dy\nAllow: /%d\n" % (n, n) for n in range(30))
SMALL = b"User-agent: *\nDisallow: /a"


def rules_of(body, dialect=RFC9309):
    return compiled.RankedRules(dialect, compiled.Reading(body, dialect).select(["ExampleBot"])[1])


@pytest.mark.parametrize("number", range(len(seeds.programs())))
def test_random_programs_do_no_harm(number):
    calls.play(seeds.programs()[number])


def test_rules_are_initialized_once():
    rules = rules_of(BODY)
    rules.allowed("/b")
    for groups in (compiled.Reading(SMALL, GOOGLE).select(["x"])[1], (), None, 1):
        rules.__init__(GOOGLE, groups)  # no effect: the object was complete before

    assert (rules.dialect, rules.allowed("/zx7y"), rules.allowed("/7")) == (RFC9309, False, True)


compiled_only = pytest.mark.skipif(
    comity.engine != "compiled", reason="the reference engine has no memory of its own"
)


@compiled_only
def test_rules_of_the_api_without_init_raise():
    rules = Rules.__new__(Rules)
    with pytest.raises(TypeError, match="was not initialized"):
        rules.allowed("/")
    with pytest.raises(AttributeError):
        rules.allowed_many("/")


def test_reading_is_initialized_once():
    reading = compiled.Reading(BODY, RFC9309)
    reading.__init__(SMALL, GOOGLE)  # no effect: the object was complete before

    assert (reading.dialect, len(reading.groups[0].rules)) == (RFC9309, 60)


@pytest.mark.parametrize("arguments", [(), (b"",), (None, RFC9309), ("text", RFC9309), (b"", None)])
def test_reading_without_body_or_dialect_raises(arguments):
    with pytest.raises((TypeError, AttributeError)):
        compiled.Reading.__new__(compiled.Reading, *arguments)
    with pytest.raises((TypeError, AttributeError)):
        compiled.Reading(*arguments)


@pytest.mark.parametrize("arguments", [(), (RFC9309,), (RFC9309, None), (RFC9309, 1), (None, ()), ("", ())])
def test_rules_without_dialect_or_groups_raise(arguments):
    with pytest.raises((TypeError, AttributeError)):
        compiled.RankedRules.__new__(compiled.RankedRules, *arguments)
    with pytest.raises((TypeError, AttributeError)):
        compiled.RankedRules(*arguments)


@pytest.mark.parametrize("about", [
    (), ("x",) * 7, ("x", None, None, (), (), (1, 2), ()), ("x", None, None, (1,), (), (), ()), [], None, 1,
])  # fmt: skip
def test_verdict_about_any_robot_stays_in_bounds(about):
    rules = rules_of(BODY)
    for url in ("/zx7y", "/", "/robots.txt"):
        with contextlib.suppress(TypeError, ValueError):
            assert rules.verdict(url, about).group is None


def test_only_a_reading_creates_selected_groups():
    alone = type(compiled.Reading(b"", RFC9309).select(["x"])[1])
    with pytest.raises(TypeError, match="only a Reading"):
        compiled.RankedRules(RFC9309, alone.__new__(alone))
    with pytest.raises((TypeError, AttributeError)):
        alone().__setstate__((b"\xff" * 64,))
    with pytest.raises((TypeError, AttributeError)):
        alone().packed = b"\xff" * 64
    with pytest.raises(TypeError):
        type("Derived", (alone,), {})


class LyingBytes(bytes):
    def __len__(self):
        return 1 << 20

    def __iter__(self):
        return iter(range(1 << 20))


class LyingText(str):
    def encode(self, *_, **__):
        return LyingBytes(b"/a")

    def __len__(self):
        return 1 << 20


class Bot(str):
    """A name whose bytes are no bytes."""

    def encode(self, *_, **__):
        return 17


class Group:
    def __init__(self, value, line=2, name="disallow"):
        self.agents, self.rules, self.fields = [(1, "user-agent", b"*")], [(line, name, value)], []


@pytest.mark.parametrize("group", [
    Group(LyingBytes(b"/a")), Group(None), Group("/a"), Group(bytearray(b"/a")), Group(b"/a", -1),
    Group(b"/a", 1 << 40), Group(b"/a", 1.5), Group(b"/a", 2, "unknown"), Group(b"/a", 2, None), None, 1,
])  # fmt: skip
def test_groups_with_lying_records_are_refused(group):
    with pytest.raises((TypeError, ValueError, OverflowError, AttributeError)):
        compiled.RankedRules(RFC9309, [group])


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize(
    "url",
    [LyingText("/a"), LyingText("/a\ud800"), LyingBytes(b"/a"), Bot("/a\ud800")],
    ids=["text", "surrogate", "bytes", "name"],
)
def test_lying_urls_are_read_as_they_are(url, dialect):
    rules = rules_of(SMALL, dialect)
    for _ in range(12):
        assert rules.allowed(url) is False
    assert rules.allowed_many([url, url]) == (False, False)


def test_lying_names_are_read_as_they_are():
    reading = compiled.Reading(BODY, RFC9309)
    assert reading.select([Bot("x")])[0] == "*"
    assert reading.select(["x"])[0] == "*"


class Array:
    """An object that claims to be an array of pyarrow."""

    type, offset = "string", 0

    def __init__(self, count, offset=0, size=16):
        self.count, self.offset, self.size = count, offset, size

    def __len__(self):
        return self.count

    def buffers(self):
        return None, bytearray(self.size), bytearray(b"/a")


Array.__module__ = "pyarrow.lib"


class Number(int):
    """A number that is small when it is compared and large when it is used."""

    def __add__(self, other):
        return 0

    __radd__ = __add__


@pytest.mark.parametrize("array", [
    Array(4), Array(100, -100), Array(5, -2), Array(1 << 40), Array(1, 1 << 62), Array(2, Number(1 << 40)),
    Array(1, size=0), Array(1, size=4),
])  # fmt: skip
def test_false_arrays_are_refused(array):
    with pytest.raises((ValueError, OverflowError)):
        rules_of(SMALL).allowed_many(array)


def test_answers_do_not_change_while_the_rules_ask_themselves():
    """Code that the engine calls asks the same rules: for patterns, for groups, and for URLs."""
    rules = rules_of(BODY.replace(b"/*x", "/%7e\u00e9*x".encode()))
    answers = []

    def ask(*_):
        answers.append(rules.allowed("/~\u00e9x7y"))

    def urls():
        for _ in range(4):
            ask()
            yield "/~\u00e9x7y"

    sys.setprofile(ask)
    try:
        found = rules.allowed_many(urls())
    finally:
        sys.setprofile(None)
    assert set(found) == set(answers) == {False}
    assert len(answers) > 10


def test_objects_in_progress_cannot_be_found():
    """An object that is being created could be found by the garbage collector's functions, and be used."""
    found, searches = [], []

    def search(*_):
        searches.append(1)
        found.extend(thing for thing in gc.get_objects(0) if type(thing) in kinds)

    kinds = (compiled.Reading, compiled.RankedRules)
    gc.collect()
    sys.setprofile(search)
    try:
        reading = compiled.Reading(b"User-agent: *\nDisalow: /x", RFC9309.replace(name="own"))
        compiled.RankedRules(reading.dialect, reading.groups)
    finally:
        sys.setprofile(None)
    assert len(searches) > 10
    assert not found


def test_groups_add_no_work_for_the_garbage_collector():
    reading = compiled.Reading(BODY + b"Crawl-delay: 5\nSitemap: /s", RFC9309)
    for groups in (reading.values, rules_of(BODY).values):
        (group,) = groups
        seen = (groups, group, group.agents, group.rules, *group.rules, group.fields, *group.fields)
        assert not any(map(gc.is_tracked, seen))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_only_rules_can_be_pickled(protocol):
    reading = compiled.Reading(BODY, RFC9309)
    for thing in (reading, reading.select(["x"])[1], rules_of(BODY)):
        with pytest.raises(TypeError):
            pickle.loads(pickle.dumps(thing, protocol))
    rules = comity.parse(BODY).rules_for("ExampleBot")
    assert pickle.loads(pickle.dumps(rules, protocol)) == copy.copy(rules) == copy.deepcopy(rules) == rules


@compiled_only
def test_hostile_state_of_a_pickle_is_refused():
    rules = comity.parse(BODY).rules_for("ExampleBot")
    made, arguments = rules.__reduce__()
    assert made is Rules
    for place, hostile in ((0, None), (0, "rfc9309"), (1, None), (1, [None]), (1, [Group(None)])):
        with pytest.raises((TypeError, AttributeError, ValueError)):
            made(*arguments[:place], hostile, *arguments[place + 1 :]).allowed("/x")


def test_threads_prepare_the_same_rules_at_once():
    expected = rules_of(BODY).allowed_many([f"/zx{n}y" for n in range(40)])
    for _ in range(20):
        rules, answers = rules_of(BODY), []
        threads = [
            threading.Thread(
                target=lambda rules=rules, answers=answers: answers.append(
                    rules.allowed_many(f"/zx{n}y" for n in range(40))
                )
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [expected] * 4
