"""`comity minimize`, run as a user runs it."""

import json

import pytest
from click.testing import CliRunner

from comity.cli import main

BODY = b"User-agent: *\r\nDisallow: /a # all of it\nDisallow: /a/b\x1b\xe9\nAllow: /c\nDisallow: /d\n# end"
SMALL = b"User-agent: *\r\nDisallow: /a # all of it\nDisallow: /d\n# end"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["minimize", *arguments], **options)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(BODY)
    return path


def test_minimized_file_is_printed(file):
    result = comity(str(file))

    assert result.exit_code == 0
    assert result.stdout_bytes == SMALL
    assert file.read_bytes() == BODY


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(arguments):
    assert comity(*arguments, input=BODY).stdout_bytes == SMALL


def test_check_is_1_if_a_rule_can_be_removed(file):
    result = comity(str(file), "--check")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [f"{file}:3:1: Disallow: /a/b\\x1b\\xe9", f"{file}:4:1: Allow: /c"]
    assert comity("--check", input=SMALL).exit_code == 0


def test_json(file):
    result = comity(str(file), "--json")
    record = json.loads(result.stdout)

    assert result.exit_code == 0
    assert [rule["line"] for rule in record["removed"]] == [3, 4]
    assert (record["kept"], record["undecided"], record["size"] - record["minimized_size"]) == (2, [], 27)
    assert comity(str(file), "--json", "--check").exit_code == 1


def test_undecided_rules_are_noted():
    rules = [f"{'Allow' if at % 2 else 'Disallow'}: /*{at:02}{'*' * at}x" for at in range(40)]
    result = comity(input="\n".join(["User-agent: *", *rules]))

    assert result.exit_code == 0
    assert "rules were kept because the comparison takes too long" in result.stderr


def test_dialect():
    body = b"User-agent: *\nDisallow: /~joe\nDisallow: /%7Ejoe\n"

    assert comity("--check", input=body).exit_code == 0
    assert comity("--check", "--dialect", "rfc9309", input=body).exit_code == 1


def test_missing_file_is_2(tmp_path):
    result = comity(str(tmp_path / "none.txt"))

    assert result.exit_code == 2
    assert "No such file or directory" in result.stderr
