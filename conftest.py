"""What holds for every test run, doctests included: temporary files, signals, workers, skipped tests."""

import gc
import os
import shutil
import signal
import tempfile
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

_temporary_folder = pytest.StashKey[str]()

#: Reason and path of each module that was skipped as a whole.
_skipped_modules: set[tuple[str, str]] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Create one folder for all temporary files, and give child processes the default signal handling.

    A run in the background (`nohup make test &`) ignores SIGINT, and so would its child processes, some of
    which are tested with SIGINT. A process started by one that handles a signal gets the default.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(config, "workerinput"):  # the controller created the folder
        return
    if config.getoption("numprocesses", None):
        gc.disable()  # the controller keeps the reports of all tests, and would search them again and again
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the folder is removed
    folder = tempfile.mkdtemp(prefix="comity-tests-")
    config.stash[_temporary_folder] = folder
    os.environ["TMPDIR"] = folder
    _leave_settings_of_user(folder)
    os.environ["PYTHONUTF8"] = "1"  # the encoding in which tests read the output of processes
    tempfile.tempdir = None  # read TMPDIR again


def _leave_settings_of_user(folder: str) -> None:
    """Give child processes a new folder of settings, where crawls store their contact; pip keeps its own."""
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    if os.path.exists(pip := os.path.join(settings, "pip", "pip.conf")):
        os.environ.setdefault("PIP_CONFIG_FILE", pip)
    os.environ["XDG_CONFIG_HOME"] = os.path.join(folder, "config")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the temporary files; `--basetemp=FOLDER` keeps those of the fixture `tmp_path`."""
    folder = config.stash.get(_temporary_folder, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start half as many workers again as there are cores: some tests wait for servers or delays.

    More of them take longer, because each imports and collects all tests. The tests of an engine do not wait.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if os.environ.get("COMITY_PURE") == "1" else cores + (cores + 1) // 2


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without the garbage collector, which would search all of them again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests that are marked as `first` to the front."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember a module that was skipped as a whole: a worker does not report it."""
    if report.skipped:
        _skipped_modules.add((_reason(report), report.nodeid))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the skipped modules of a worker to the controller."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["skipped_modules"] = sorted(_skipped_modules)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the skipped modules of a worker that has ended."""
    _skipped_modules.update(map(tuple, getattr(node, "workeroutput", {}).get("skipped_modules", ())))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the skipped tests by reason; the reason names the package or setting that they need."""
    files: dict[str, list[str]] = defaultdict(list)
    for reason, module in _skipped_modules:
        files[reason].append(module)
    for report in terminalreporter.stats.get("skipped", ()):
        if (_reason(report), report.nodeid) not in _skipped_modules:
            files[_reason(report)].append(report.nodeid.partition("::")[0])
    if not files:
        return
    terminalreporter.section("skipped tests by reason")
    for reason, names in sorted(files.items()):
        terminalreporter.line(f"{len(names):4}  {reason}: {', '.join(sorted(set(names)))}")


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
