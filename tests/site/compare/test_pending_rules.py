"""Summaries of ranges of rules: equal to a search through the range, in logarithmic time."""

from hypothesis import given
from hypothesis import strategies as st

from comity.site.compare.automata.pending_rules import ABSENT, PendingIndex, PendingRules, _maxima, _maximum

RANK = st.one_of(st.just(ABSENT), st.integers(0, 50))
RULE = st.tuples(RANK, RANK, st.booleans(), st.booleans())


def worst(rules, place, verdict):
    """Return the worst rank of the rules of a verdict in one list."""
    return max((rule[place] for rule in rules if rule[2] is verdict and rule[place] != ABSENT), default=-1)


@given(st.lists(RULE, max_size=20), st.data())
def test_summary_equals_a_search_through_the_range(rules, data):
    first = data.draw(st.integers(0, len(rules)))
    last = data.draw(st.integers(first, len(rules)))
    index = PendingIndex(*([rule[place] for rule in rules] for place in range(4)))
    some = rules[first:last]

    assert index.between(first, last) == PendingRules(
        (worst(some, 0, False), worst(some, 0, True)),
        (worst(some, 1, False), worst(some, 1, True)),
        any(not rule[3] for rule in some),
    )


class Counted(list):
    """A list that counts the items that are read."""

    reads = 0

    def __getitem__(self, at):
        Counted.reads += 1
        return super().__getitem__(at)


def test_a_range_is_summarized_in_logarithmic_time(monkeypatch):
    size = 1 << 14
    levels = [Counted(level) for level in _maxima(range(size), [True] * size, True)]
    monkeypatch.setattr(Counted, "reads", 0)

    assert _maximum(levels, 1, size - 1) == size - 2
    assert Counted.reads <= 2 * 14
