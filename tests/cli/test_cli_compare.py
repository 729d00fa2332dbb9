"""`comity compare`, run as a user runs it."""

import json

import pytest
from click.testing import CliRunner

from comity.cli import main
from comity.compat.disagreement import parsers

FILE = b"User-agent: *\nAllow: /\n\nUser-agent: Tea\nDisallow: /shop/\n"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], **options)


def test_differences_are_shown_with_line_and_section():
    result = comity("-", "--with", "urllib", "--agent", "Tea-News", input=FILE)

    assert result.exit_code == 1
    assert result.stdout == (
        "standard input:2: /shop/ for Tea-News: allowed, and disallowed by urllib (and 1 more)\n"
        "  2 | Allow: /\n"
        "  RFC 9309 2.2.1: a group applies if its name equals the product token of the robot, ignoring case\n"
        "standard input: urllib: 4 questions, 1 difference\n"
    )


def test_equal_answers_exit_with_0(tmp_path):
    robots, urls = tmp_path / "robots.txt", tmp_path / "urls.txt"
    robots.write_bytes(b"User-agent: *\nDisallow: /shop/\n")
    urls.write_text("https://example.com/shop/tea\n/tea\n", encoding="utf-8")

    result = comity(robots, "--with", "urllib,protego", "--agent", "Tea", "--urls", urls, "--json")

    assert result.exit_code == 0
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["parser"], each["questions"], each["disagreements"]) for each in records] == [
        ("urllib", 5, []),
        ("protego", 5, []),
    ]


def test_urls_of_a_column_of_csv(tmp_path):
    robots, urls = tmp_path / "robots.txt", tmp_path / "urls.csv"
    robots.write_bytes(b"User-agent: *\nDisallow: /shop/\n")
    urls.write_text('name,url\n"tea, green",https://example.com/shop/tea\n', encoding="utf-8")
    words = [robots, "--with", "urllib", "--agent", "Tea", "--urls", urls]

    result = comity(*words, "--column", "url", "--json")

    assert (result.exit_code, json.loads(result.stdout)["questions"]) == (0, 4)
    assert comity(*words, "--column", "address").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "--with", "urllib", "--column", "url"], "--column is for a list of URLs; add --urls"),
        (["-"], "Missing option '--with'"),
        (["-", "--with", "lynx"], "--with: unknown parser 'lynx': expected protego, urllib, robotspy or"),
        (["-", "--with", "urllib", "--urls", "-"], "only one FILE or --urls can be -"),
        (["-", "--with", "urllib", "--agent", "A,B"], "--agent 'A,B': other parsers take one name"),
        (["missing.txt", "--with", "urllib"], "missing.txt: cannot be read"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, message):
    result = comity(*arguments, input=FILE)

    assert result.exit_code == 2
    assert message in result.stderr


def test_missing_library_exits_with_2_and_names_the_package(monkeypatch):
    monkeypatch.setitem(parsers._PARSERS, "robotspy", ("no_such_module", "robotspy", None))

    result = comity("-", "--with", "robotspy", input=FILE)

    assert result.exit_code == 2
    assert "--with robotspy: not installed; run: pip install robotspy" in result.stderr
