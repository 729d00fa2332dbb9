"""Each statement of the founding documents has a test in this folder, or a reason why it has none."""

import ast
import inspect
import re
from pathlib import Path

import comity

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "founding.md"

#: How many statements each document has.
STATEMENTS = {"000": 38, "001": 30, "002": 35, "003": 69, "004": 68}

#: How the last cell of a row begins if no test is possible.
REASON = "no test:"


def rows():
    """Yield the numbers of the statements of each row, and its cell of tests."""
    for line in PAGE.read_text("utf-8").splitlines():
        if re.match(r"\| 00\d-\d", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
            assert len(cells) == 4, line
            yield cells[0].split(", "), cells[3]


def names_of_tests():
    """Return the names of all test functions of this folder."""
    return {
        node.name
        for path in FOLDER.glob("test_*.py")
        if path != Path(__file__)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_statement_has_one_row():
    numbers = sorted(number for numbers, _ in rows() for number in numbers)

    assert numbers == sorted(
        f"{of}-{each}" for of, count in STATEMENTS.items() for each in range(1, count + 1)
    )


def test_every_row_names_tests_or_a_reason():
    known, wrong = names_of_tests(), []
    for numbers, cell in rows():
        named = set(re.findall(r"`(\w+)`", cell))
        if not cell.startswith(REASON) and not (named and named <= known):
            wrong.append((numbers, cell))

    assert wrong == []


def test_every_test_belongs_to_a_row():
    named = {name for _, cell in rows() for name in re.findall(r"`(\w+)`", cell)}

    assert names_of_tests() - named == set()


def test_calls_of_the_page_fit_their_functions():
    calls = re.findall(r"`((?:page_directives|usage)\([^`]*\))", PAGE.read_text("utf-8"))
    assert len(calls) > 8
    for call in calls:
        found = ast.parse(call, mode="eval").body
        while not (isinstance(found, ast.Call) and isinstance(found.func, ast.Name)):
            found = found.func if isinstance(found, ast.Call) else found.value
        keywords = {one.arg for one in found.keywords}
        function = getattr(comity, found.func.id)
        inspect.signature(function).bind(*found.args, **dict.fromkeys(keywords))
        assert "agent" in keywords, call
