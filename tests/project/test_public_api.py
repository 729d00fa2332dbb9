"""The public names: how many there are, what they need, and what importing them costs."""

import subprocess
import sys
from pathlib import Path

import pytest

import comity

SOURCE = Path(comity.__file__).parent


def test_public_names():
    assert comity.__all__ == sorted(comity.__all__)
    assert len(comity.__all__) <= 45
    assert dir(comity) == comity.__all__
    assert comity._LAZY.keys() < set(comity.__all__)


def test_every_public_name_can_be_imported_with_a_star():
    namespace = {}
    exec("from comity import *", namespace)

    assert set(comity.__all__) <= namespace.keys()


def test_names_of_a_missing_extra_raise_when_they_are_called():
    code = """
import sys
sys.modules.update(dict.fromkeys(["httpx2", "anyio", "redis"]))  # import raises ModuleNotFoundError
import comity, comity.stores
from comity import *
assert hasattr(comity, "Robot")
for name, stand_in in [("Robot", Robot), ("RedisStore", comity.stores.RedisStore)]:
    try:
        stand_in("x")
    except ImportError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True,
                         env={"PYTHONPATH": str(SOURCE.parent)})  # fmt: skip

    assert "comity.Robot needs" in run.stdout
    assert "comity.stores.RedisStore needs" in run.stdout
    assert run.stdout.count("; install the extra `") == 2


def test_version_needs_no_extra():
    code = """
import sys
sys.modules.update(dict.fromkeys(["click", "rich", "httpx2", "anyio"]))
sys.argv[1:] = ["--version"]
from comity.__main__ import main
main()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True,
                         env={"PYTHONPATH": str(SOURCE.parent)})  # fmt: skip

    assert run.stdout.startswith("comity ")
    assert run.stdout.endswith(" engine)\n")


@pytest.mark.parametrize("name", comity.__all__)
def test_public_names_are_documented(name):
    assert getattr(comity, name).__doc__


def test_importing_loads_nothing_heavy():
    """No clock, no network, no regular expressions, no dependency; `comity.parse` is quick to have."""
    code = "import sys; before = set(sys.modules); import comity; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, encoding="utf-8", check=True,
                            env={"PYTHONPATH": str(SOURCE.parent)}).stdout.split()  # fmt: skip

    heavy = {
        "re",
        "typing",
        "dataclasses",
        "inspect",
        "logging",
        "urllib",
        "socket",
        "click",
        "rich",
        "json",
        "pickle",
        "tomllib",
        "comity.agents",
        "comity.site",
    }
    assert heavy.isdisjoint(loaded)
    assert len(loaded) < 65
