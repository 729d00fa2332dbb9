"""The shape of the house: which way imports point, what is public, what is loaded."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import comity

SOURCE = Path(comity.__file__).parent

#: What each part of the house may import of the others.
MAY_IMPORT = {
    "protocol": {"errors"},
    "errors": set(),
    "_lazy": set(),
    "agents": {"protocol", "errors"},
    "politeness": {"protocol", "agents", "errors"},
    "robot": {"protocol", "agents", "politeness", "errors"},
    "site": {"protocol", "agents", "errors"},
    "integrations": {"protocol", "agents", "politeness", "robot", "site", "errors"},
    "crawl": {
        "protocol",
        "politeness",
        "robot",
        "integrations",
        "errors",
    },  # Scrapy is its engine, by the add-on that obeys
    "cli": {"protocol", "agents", "politeness", "robot", "site", "crawl", "errors"},
    "__init__": {"protocol", "agents", "politeness", "robot", "site", "stores", "errors", "_lazy"},
    "__main__": {"cli", "protocol"},
    "stores": {"politeness", "_lazy"},
    "testing": set(),
}

#: The files of a crawl that know Scrapy; what a job is, and where its pages go, is known without.
ENGINE = [
    f"crawl/{name}.py"
    for name in (
        *("embedded", "engine", "failures", "frontier", "leases", "links"),
        *("output/recording", "spider"),
    )
]

#: Packages of others, and the one place that may import each: a part of the house, a folder or a file.
THIRD_PARTY = {
    "click": {"cli"},
    "rich": {"cli"},
    "httpx2": {"robot", "testing.py", "cli/site_client.py"},
    "anyio": {"politeness/_async/concurrency.py", "robot/_async/sending.py", "testing.py"},
    "selectolax": {"integrations/selectolax.py"},
    "django": {"integrations/django.py"},
    "asgiref": {"integrations/django.py"},  # which comes with Django
    "scrapy": {"integrations/scrapy", *ENGINE},
    "tinycss2": {"crawl/stylesheet.py"},
    "warcio": {"crawl/output/warc.py"},
    "w3lib": {"crawl/urls.py", "integrations/scrapy"},  # Scrapy's own, as the next
    "twisted": {"integrations/scrapy", "crawl/spider.py"},
    "itemadapter": {"integrations/scrapy"},
    "redis": {
        "politeness/stores/_async/redis.py",
        "politeness/stores/_sync/redis.py",
        "crawl/job/redis_client.py",
    },
}

#: The compiled engine is written for Cython, which no installed Comity needs.
COMPILED = {SOURCE / "protocol/robotstxt/engine" / name for name in ("_compiled.py", "_compiled_reading.py")}

FILES = sorted(SOURCE.rglob("*.py"))


def part_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """Give the absolute name of each module that a file imports."""
    package = ["comity", *path.relative_to(SOURCE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module or "").split(".")]
            yield ".".join(filter(None, module))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_arrows_point_one_way(path):
    part = part_of(path)
    for name in imports(path):
        first, *rest = name.split(".")
        if first == "cython" and path in COMPILED:
            continue
        if first != "comity":
            place = path.relative_to(SOURCE)
            places = {part, place.as_posix(), place.parent.as_posix()}
            assert first in sys.stdlib_module_names or places & THIRD_PARTY.get(first, set()), name
        elif rest and rest[0] != part:
            assert rest[0] in MAY_IMPORT[part], name


def test_every_part_has_its_arrows():
    assert {part_of(path) for path in FILES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_says_what_it_is_for(path):
    documentation = ast.get_docstring(ast.parse(path.read_text()))

    assert documentation
    assert documentation.partition("\n")[0].strip()
    assert path.stem not in ("utils", "helpers", "common", "base", "manager")


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
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
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
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={"PYTHONPATH": str(SOURCE.parent)})  # fmt: skip

    assert run.stdout.startswith("comity ")
    assert run.stdout.endswith(" engine)\n")


@pytest.mark.parametrize("name", comity.__all__)
def test_public_names_are_documented(name):
    assert getattr(comity, name).__doc__


def test_importing_loads_nothing_heavy():
    """No clock, no network, no regular expressions, no dependency; `comity.parse` is quick to have."""
    code = "import sys; before = set(sys.modules); import comity; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
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
