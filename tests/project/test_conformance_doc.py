"""`docs/reference/conformance.md` names a test for each requirement, and each test that it names exists."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs/reference/conformance.md"
NOT_YET = "not yet"

SECTIONS = ("2.1", "2.2", "2.2.1", "2.2.2", "2.2.3", "2.2.4", "2.3", "2.4", "2.5", "3")
ACCESS_RESULTS = tuple(f"2.3.1.{number}" for number in range(1, 6))
FORCES = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "states"}


def cases():
    """Yield every case of every dialect."""
    for path in sorted((ROOT / "conformance").glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["cases"]


def tables():
    """Give (line number, cells) of each row of each table, its head and its rule among them, by table."""
    found, table = [], []
    for number, line in enumerate(DOC.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|"):
            table.append((number, [cell.strip() for cell in line.strip("|").split("|")]))
        elif table:
            found.append(table)
            table = []
    return [*found, table] if table else found


def ids_in(text):
    """Give what stands in backticks."""
    return re.findall(r"`([^`]+)`", text)


@cache
def body_of(file):
    return ast.parse(file.read_text(encoding="utf-8")).body


@pytest.fixture(scope="module", autouse=True)
def forget_trees():
    """Trees that were kept would slow down each garbage collection of the tests that follow."""
    yield
    body_of.cache_clear()


def defines(node):
    """Say whether a pytest node id such as `tests/test_x.py::TestX::test_y` names what is there."""
    path, *names = node.split("::")
    file = ROOT / path
    if not names or not file.is_file():
        return False
    body = body_of(file)
    for name in names:
        found = [
            item
            for item in body
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and item.name == name
        ]
        if not found:
            return False
        body = found[0].body
    return True


TABLES = tables()
ROWS = [pytest.param(cells, id=f"line {number}") for table in TABLES for number, cells in table[2:]]
IDS = {case["id"] for case in cases()}


def test_every_table_ends_with_its_tests():
    assert TABLES
    for (_, head), *rows in TABLES:
        assert head[-1] == "Tests"
        assert {len(cells) for _, cells in rows} == {len(head)}


@pytest.mark.parametrize("cells", ROWS)
def test_row_names_tests_that_exist(cells):
    named = ids_in(cells[-1])
    unknown = [name for name in named if not (defines(name) if "::" in name else name in IDS)]

    assert named or cells[-1].startswith(NOT_YET)
    assert unknown == []


@pytest.mark.parametrize("section", [*SECTIONS, *ACCESS_RESULTS])
def test_section_of_rfc_is_documented(section):
    assert re.search(rf"^### {re.escape(section)} ", DOC.read_text(encoding="utf-8"), re.MULTILINE)


def test_forces_are_those_of_the_standard():
    for (_, head), _, *rows in TABLES:
        if "Force" in head:
            at = head.index("Force")

            assert {cells[at] for _, cells in rows} <= FORCES


def test_deviations_are_documented():
    """An answer of our own, or one that is not the RFC's, stands in the tables of the doc."""
    own = {case["id"] for case in cases() if case.get("deviates") or case["authority"] == "comity"}

    assert own - {found for row in ROWS for found in ids_in(row.values[0][-1])} == set()


@pytest.mark.parametrize(
    ("node", "there"),
    [
        ("tests/project/test_conformance_doc.py::test_node_ids_are_resolved", True),
        ("tests/project/test_conformance_doc.py::test_missing", False),
        ("tests/test_missing.py::test_node_ids_are_resolved", False),
        ("tests/project/test_conformance_doc.py", False),
    ],
)
def test_node_ids_are_resolved(node, there):
    assert defines(node) == there
