"""`comity matrix` as a user runs it: the table, JSON, CSV, the page, lists of URLs, and sites."""

import csv
import io
import json
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner
from http_server import Server, answer

from comity.cli import main
from comity.site.access_matrix import matrix_table as table

BODY = b"""\
User-agent: *
Disallow: /cart
Disallow: /account/

User-agent: Googlebot
Disallow: /search

User-agent: GPTBot
Disallow: /
"""
AGENTS = ("--agent", "Googlebot", "--agent", "Bingbot", "--agent", "GPTBot", "--agent", "*")


def matrix(*arguments, **options):
    return CliRunner().invoke(main, ["matrix", *map(str, arguments)], **options)


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(BODY)
    return str(path)


def test_table(robots):
    result = matrix(robots, *AGENTS)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[:9] == [
        "                                             /    /cart +1  /search",
        "search, 2 robots                             2/2  1/2       1/2",
        "  Googlebot (line 5)                         ✓    ✓         ✗ 6",
        "  Bingbot                                    ✓    ✗ 2       ✓",
        "training, 1 robot",
        "  GPTBot (line 8)                            ✗ 9  ✗ 9       ✗ 9",
        "any other robot",
        "  * (any robot that the file does not name)  ✓    ✗ 2       ✓",
        "all, 4 robots                                3/4  1/4       2/4",
    ]
    assert "/cart +1: line 2 `/cart`, line 3 `/account/`" in result.stdout


def test_default_has_all_known_robots(robots):
    lines = matrix(robots).stdout.splitlines()

    assert any(line.startswith("  Googlebot (line 5)") for line in lines)
    assert any(line.startswith("  PetalBot, Pinterest, bingbot,") for line in lines)
    assert [line.split(",")[0] for line in lines if " robots  " in line][-1] == "all"
    assert max(map(len, lines[: lines.index("")])) <= 120


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_wide_tables_fit_and_say_what_is_left_out(tmp_path, columns):
    groups = "".join(
        f"User-agent: Bot-{letter}\nDisallow: /folder-{letter}/of/a/shop\n\n" for letter in "abcdefghijklmno"
    )
    (tmp_path / "r.txt").write_text(groups, "utf-8")
    agents = [word for letter in "abcdefghijklmno" for word in ("--agent", f"Bot-{letter}")]
    result = matrix(tmp_path / "r.txt", *agents, env={"COLUMNS": columns})
    shown = {
        word for line in result.stdout.splitlines() for word in line.split() if word.startswith("/folder")
    }
    left = 16 - 1 - len(shown)

    assert all(
        len(line) <= int(columns) for line in result.stdout.splitlines() if "✗" in line and "may" not in line
    )
    assert (f"{left:,} more columns" in result.stdout) is (left > 0)


def test_output_without_signs_has_plain_ones(robots):
    result = CliRunner(charset="ascii").invoke(main, ["matrix", robots, "--agent", "GPTBot"])

    assert "- 9" in result.stdout
    assert "✗" not in result.stdout


def test_json_has_verdict_and_line(robots):
    record = json.loads(matrix(robots, *AGENTS, "--json").stdout)
    row = next(row for row in record["rows"] if row["purpose"] == "training")

    assert [column["path"] for column in record["columns"]] == ["/", "/cart", "/search"]
    assert [(cell["allowed"], cell["line"]) for cell in row["cells"]] == [(False, 9)] * 3


def test_csv_has_a_line_for_each_robot_and_column(robots):
    rows = list(csv.DictReader(io.StringIO(matrix(robots, *AGENTS, "--csv").stdout)))
    (cell,) = (row for row in rows if row["agent"] == "Bingbot" and row["path"] == "/cart")

    assert len(rows) == 4 * 3
    assert cell == {
        "purpose": "search", "agent": "Bingbot", "agent_line": "", "group": "*", "obeys": "yes", "path": "/cart",
        "paths": "2", "answer": "disallowed", "line": "2", "rule": "Disallow: /cart",
    }  # fmt: skip


def test_csv_has_no_formulas():
    body = b'User-agent: =HYPERLINK("http://example.com")\nDisallow: /\nUser-agent: @x\nDisallow: /a\n'
    rows = csv.DictReader(io.StringIO(matrix("-", "--csv", input=body).stdout))

    assert not [row for row in rows if any(cell.startswith(("=", "@", "+", "-")) for cell in row.values())]


class Page(HTMLParser):
    """Collects the elements of a page, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def of(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def test_page_is_accessible_and_self_contained(robots, tmp_path):
    result = matrix(robots, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    page = Page(text)

    assert (result.exit_code, result.stdout) == (0, "")
    assert {attributes["scope"] for attributes in page.of("th")} == {"col", "row", "rowgroup"}
    assert page.of("caption")
    assert {"script", "link", "img", "iframe"}.isdisjoint(tag for tag, _ in page.found)
    assert "default-src 'none'" in text
    cells = [cell for cell in page.of("td") if "title" in cell]
    assert cells[1] == {
        "class": "yes",
        "data-path": "/cart",
        "title": "allowed: no rule of the group matches, so the URL is allowed",
    }
    assert "✗ closed <small>line 6" in text


def test_page_escapes_everything():
    hostile = (
        b'User-agent: <script>alert(1)</script>\nUser-agent: A\nDisallow: /"><script>alert(2)</script>\xff\n'
    )
    text = matrix("-", "--html", "-", "--agent", "<script>x", "--agent", "A", input=hostile).stdout

    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_page_of_a_hostile_file_is_bounded():
    groups = "".join(f"User-agent: Bot{number}x\nDisallow: /{number}\n\n" for number in range(1000))
    result = matrix("-", "--html", "-", input=groups.encode())

    assert len(result.stdout) < 20_000_000
    assert "robots are left out, because the file has too many" in result.stdout


def test_urls_of_a_list(robots):
    result = matrix(
        robots, "--agent", "Bingbot", "--urls", "-", input="/b\n/cart?x\n/a/../cart/y\nnot a URL\n"
    )

    assert result.stdout.splitlines()[:3] == [
        "                 /b  /cart?x  /cart/y",
        "search, 1 robot",
        "  Bingbot        ✓   ✗ 2      ✗ 2",
    ]
    assert "Note: 1 URL is left out: not valid, or not of this site" in result.stdout


def test_page_replaces_only_a_page(robots, tmp_path):
    page = tmp_path / "page.html"
    for content, status in ((b"", 0), (b"\n<!DOCTYPE html>", 0), (b"User-agent: *\n", 2), (b"\x89PNG", 2)):
        page.write_bytes(content)
        result = matrix(robots, "--html", page)

        assert result.exit_code == status
        assert (page.read_bytes() == content) is (status == 2)
        assert ("exists, and is not an earlier result; name another file" in result.stderr) is (status == 2)


@pytest.mark.parametrize(("arguments", "message"), [
    (("--html", "x.html", "--json"), "choose one"),
    (("--csv", "--json"), "choose one"),
    (("--column", "url"), "add --urls"),
    (("--urls", "u", "--column", " "), "it is empty"),
    (("--purpose", "evil"), "evil"),
    (("--agent", ""), "a name is empty"),
    (("--urls", "missing"), "missing: cannot be read"),
])  # fmt: skip
def test_wrong_usage_exits_with_2(robots, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = matrix(robots, *arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(("source", "message"), [
    ("-", "standard input can be read once"),
])  # fmt: skip
def test_unusable_source_exits_with_2(source, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = matrix(source, "--urls", "-")

    assert result.exit_code == 2
    assert message in result.stderr


def test_list_without_urls_exits_with_2(robots):
    result = matrix(robots, "--urls", "-", input="\n")

    assert result.exit_code == 2
    assert "standard input: no URL found" in result.stderr


@pytest.mark.parametrize(("status", "code", "words"), [
    (200, 0, "✗ 2"), (404, 0, "there is no robots.txt"), (503, 3, "unreachable"),
])  # fmt: skip
def test_site(status, code, words):
    with Server({"/robots.txt": answer(status, BODY)}) as server:
        result = matrix(f"{server.origin}/shop", "--agent", "Bingbot")

    assert result.exit_code == code
    assert words in result.stdout


def test_labels_are_cut_to_the_width():
    assert table._wrapped(["x" * 50, "y"], 20, "  ") == [f"  {'x' * 14}…,", "  y"]


def test_assumptions_are_stated_and_counted(robots):
    default, exact = matrix(robots).stdout, matrix(robots, "--exact").stdout
    chosen = matrix(robots, "--agent", "AdsBot-Google").stdout

    assert "  Googlebot reads robots.txt as Google's own parser" in default
    assert "assumptions about other robots; --html and --json list all" in default
    assert "ssum" not in exact
    assert "  AdsBot-Google ignores the groups for *" in chosen


#: Commands for a file with very long texts, and the most characters of a text that they print.
LONG = [
    ("matrix big.txt --json", 10_000),
    ("diff small.txt big.txt --json", 10_000),
    ("matrix big.txt --csv", 10_000),
    ("matrix big.txt", 400),
    ("diff small.txt big.txt", 60),
]


@pytest.mark.parametrize(("words", "most"), LONG)
def test_long_texts_are_cut(tmp_path, monkeypatch, words, most):
    monkeypatch.chdir(tmp_path)
    name = "a" * 1_000_000
    (tmp_path / "big.txt").write_text(f"User-agent: {name}\nDisallow: /x{name}\n", "utf-8")
    (tmp_path / "small.txt").write_text("User-agent: *\nDisallow: /y\n", "utf-8")
    result = CliRunner().invoke(main, words.split())

    assert name[:30] in result.stdout
    assert name[: most + 1] not in result.stdout
    assert (f"{name[:10_000]}... (" in result.stdout) == (most == 10_000)
    if words.endswith("--json"):
        assert json.loads(result.stdout)
