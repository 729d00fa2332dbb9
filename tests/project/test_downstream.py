"""`make downstream`: its comparison of results, and the page that it writes, without network."""

import importlib
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "downstream"))
comparison, page, suites = map(importlib.import_module, ("comparison", "page", "suites"))

SUITES = {suite.name: suite for suite in suites.load_suites()}


def test_the_page_has_the_tables_of_the_data_files():
    text = page.PAGE.read_text(encoding="utf-8")

    assert page.with_tables(text, page.stored_rows(), suites.load_differences()) == text


def test_results_are_of_the_pinned_releases():
    rows = page.stored_rows()

    assert rows
    for row in rows:
        assert row.release == SUITES[row.suite].release or not SUITES[row.suite].package
        assert row.calls > 0
        assert row.unchanged > 0 if SUITES[row.suite].installable else row.unchanged is None


def test_each_listed_difference_has_a_known_suite_and_a_result():
    counts = {row.suite: row.differences for row in page.stored_rows()}

    for difference in suites.load_differences():
        assert set(difference.suites) <= set(SUITES)
    for name, count in counts.items():
        listed = {test for each in suites.load_differences() if name in each.suites for test in each.tests}
        assert count <= len(listed), name


def test_each_test_has_one_entry():
    listed = [
        (suite, test) for each in suites.load_differences() for suite in each.suites for test in each.tests
    ]

    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("unchanged", "comity", "expected"),
    [
        ({"a": "passed"}, {"a": "passed"}, (1, 1, ())),
        ({"a": "passed", "b": "failed"}, {"a": "failed", "b": "failed"}, (1, 0, ("a",))),
        ({"a": "failed"}, {"a": "passed"}, (0, 1, ("a",))),
        ({"a": "skipped"}, {"a": "passed"}, (0, 1, ("a",))),
        ({"a": "passed", "b": "passed"}, {"a": "passed"}, (2, 1, ("b",))),
    ],
)
def test_results_are_compared_test_by_test(unchanged, comity, expected):
    found = comparison.compare(unchanged, comity)

    assert (found.unchanged, found.comity, found.differences) == expected


def test_unlisted_and_stale_differences_are_problems():
    listed = [
        suites.Difference(suites=("S",), tests=("a", "b"), section="", reason=""),
        suites.Difference(suites=("T",), tests=("c",), section="", reason=""),
    ]

    assert comparison.problems("S", ["a", "b"], listed) == []
    assert comparison.problems("S", ["a", "c"], listed) == [
        "S: c: differs, and is not in differences.toml",
        "S: b: in differences.toml, and does not differ",
    ]
