"""Compare the results of a suite with the original parser and with Comity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from suites import Difference

#: The results of tests, `passed`, `failed` or `skipped`, by their identifiers.
Results = Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """The results of one run of a suite.

    Attributes:
        unchanged: The number of tests that passed with the original parser.
        comity: The number of tests that passed with Comity.
        differences: The tests with another result, sorted.
    """

    unchanged: int
    comity: int
    differences: tuple[str, ...]


def compare(unchanged: Results, comity: Results) -> Comparison:
    """Compare test by test. A test that only one of the runs has differs, too."""
    tests = unchanged.keys() | comity.keys()
    return Comparison(
        _passed(unchanged),
        _passed(comity),
        tuple(sorted(test for test in tests if unchanged.get(test) != comity.get(test))),
    )


def _passed(results: Results) -> int:
    return sum(outcome == "passed" for outcome in results.values())


def problems(suite: str, found: Iterable[str], listed: Iterable[Difference]) -> list[str]:
    """Return a line for each difference that is not listed, and for each listed one that was not found."""
    expected = {test for each in listed if suite in each.suites for test in each.tests}
    tests = set(found)
    unlisted = [f"{suite}: {test}: differs, and is not in differences.toml" for test in tests - expected]
    stale = [f"{suite}: {test}: in differences.toml, and does not differ" for test in expected - tests]
    return sorted(unlisted) + sorted(stale)
