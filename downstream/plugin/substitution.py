"""A pytest plugin: use Comity's classes in place of other parsers, and record the result of each test.

`run.py` loads it in the environment of another project. `COMITY_REPLACE` names the parsers of
`_PARSERS`, with commas between them; `urllib:classic` names the mode, too. An empty value replaces nothing.
`COMITY_REPORT` is the file for the results.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

#: For each parser: its module, ours, and the class that is counted.
_PARSERS = {
    "protego": ("protego", "comity.compat.protego", "Protego"),
    "urllib": ("urllib.robotparser", "comity.compat.urllib", "RobotFileParser"),
    "robotexclusionrulesparser": (
        "robotexclusionrulesparser",
        "comity.compat.robotexclusionrulesparser",
        "RobotExclusionRulesParser",
    ),
    "robotspy": ("robots", "comity.compat.robotspy", "RobotsParser"),
    "reppy": ("reppy", "comity.compat.reppy", "Robots"),
}

#: The result of each test so far. The worst result of its phases and subtests counts.
_results: dict[str, str] = {}
_RANK = {"passed": 0, "skipped": 1, "failed": 2}

#: The number of calls of our classes.
_calls = 0


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Replace the parsers before any test or `conftest.py` is imported."""
    for replaced in filter(None, os.environ["COMITY_REPLACE"].split(",")):
        name, _, mode = replaced.partition(":")
        if name == "reppy":
            _replace_package(*_PARSERS[name])
        else:
            _replace(*_PARSERS[name], mode)


def _replace_package(original: str, replacement: str, parser: str) -> None:
    """Import our modules in place of those of a package, which need not be installed."""
    ours = importlib.import_module(replacement)
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(f"{replacement}."):
            sys.modules[original + name.removeprefix(replacement)] = module
    found = getattr(ours, parser)
    for name, member in _counted_members(found).items():
        setattr(found, name, member)


def _replace(original: str, replacement: str, parser: str, mode: str) -> None:
    theirs, ours = importlib.import_module(original), importlib.import_module(replacement)
    public = [name for name in ours.__all__ if hasattr(theirs, name)]
    for name in public:
        setattr(theirs, name, getattr(ours, name))
    setattr(theirs, parser, _counted(getattr(ours, parser), mode))


def _counted(parser: type, mode: str) -> type:
    """Return a subclass that counts the calls of its methods, and has another default mode."""
    members = _counted_members(parser)
    if mode:

        def __init__(self: Any, *arguments: Any) -> None:  # noqa: N807
            parser.__init__(self, *arguments, mode=mode)  # type: ignore[misc]

        members["__init__"] = __init__
    found = type(parser.__name__, (parser,), {"__module__": __name__, **members})
    globals()[parser.__name__] = found  # where `pickle` looks for it
    return found


def _counted_members(parser: type) -> dict[str, Any]:
    return {
        name: _counting(value) if callable(value) else classmethod(_counting(value.__func__))
        for name, value in vars(parser).items()
        if not name.startswith("_") and (isinstance(value, classmethod) or _is_method(value))
    }


def _is_method(value: object) -> bool:
    return callable(value) and not isinstance(value, type | staticmethod)


def _counting(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def counted(*arguments: Any, **options: Any) -> Any:
        global _calls
        _calls += 1
        return function(*arguments, **options)

    return counted


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Record a file that cannot be imported."""
    if report.failed:
        _record(report.nodeid, "failed")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record a test or a subtest. An expected failure counts as skipped."""
    context = getattr(report, "context", None)
    kwargs: Iterable[tuple[str, object]] = getattr(context, "kwargs", {}).items()
    detail = " ".join(f"{name}={value}" for name, value in kwargs)
    if context is not None:
        _record(f"{report.nodeid} [{detail}]", report.outcome)
    elif report.when == "call" or report.outcome != "passed":
        _record(report.nodeid, report.outcome)


def _record(test: str, outcome: str) -> None:
    if _RANK[outcome] >= _RANK[_results.get(test, "passed")]:
        _results[test] = outcome


def pytest_unconfigure() -> None:
    """Write the report."""
    report = {"calls": _calls, "results": _results}
    Path(os.environ["COMITY_REPORT"]).write_text(json.dumps(report), encoding="utf-8")
