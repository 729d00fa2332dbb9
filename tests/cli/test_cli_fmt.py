"""`comity fmt`, run as a user runs it."""

import json
import os
import stat

import pytest
from click.testing import CliRunner
from hypothesis import given
from platforms import DIRECTORY_ERROR, not_root, posix_only
from strategies import bodies

from comity.cli import main
from comity.files.replaced_file import replace_file
from comity.site.formatting.layout import LIMIT, tidy
from comity.site.formatting.line_diff import align, align_fixed, align_formatted, unified_diff

UNTIDY = b"user-agent:*\r\n\r\n\r\nDisallow:/x\x1b"
TIDY = b"User-agent: *\n\nDisallow: /x\x1b\n"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["fmt", *map(str, arguments)], **options)


@pytest.fixture
def untidy(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(UNTIDY)
    return path


def test_file_is_formatted_in_place(untidy):
    result = comity(untidy)

    assert result.exit_code == 0
    assert untidy.read_bytes() == TIDY
    assert result.stdout == ""
    assert result.stderr == f"changed {untidy}\n1 file: 1 changed\n"


def test_formatted_file_is_not_written(untidy):
    untidy.write_bytes(TIDY)
    before = untidy.stat()
    result = comity(untidy)

    assert result.exit_code == 0
    assert result.stderr == "1 file: 1 unchanged\n"
    assert untidy.stat().st_ino == before.st_ino


@posix_only("modes and symbolic links")
def test_permissions_and_links_are_kept(untidy, tmp_path):
    untidy.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(untidy)

    assert comity(link).exit_code == 0
    assert link.is_symlink()
    assert untidy.read_bytes() == TIDY
    assert stat.S_IMODE(untidy.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link", "robots.txt"]


def test_check_writes_nothing(untidy, tmp_path):
    right = tmp_path / "right.txt"
    right.write_bytes(TIDY)
    result = comity("--check", untidy, right)

    assert result.exit_code == 1
    assert untidy.read_bytes() == UNTIDY
    assert result.stderr == f"would change {untidy}\n2 files: 1 would change, 1 unchanged\n"
    assert comity("--check", right).exit_code == 0


def test_diff_shows_what_would_change(untidy):
    result = comity("--diff", untidy)

    assert result.exit_code == 1
    assert untidy.read_bytes() == UNTIDY
    assert result.stdout.splitlines() == [
        f"--- {untidy}",
        f"+++ {untidy} (formatted)",
        "@@ -1,4 +1,3 @@",
        "-user-agent:*\\r",
        "-\\r",
        "-\\r",
        "-Disallow:/x\\x1b",
        "\\ No newline at end of file",
        "+User-agent: *",
        "+",
        "+Disallow: /x\\x1b",
    ]


@pytest.mark.parametrize(
    ("before", "hunks"),
    [
        (b"# 1\n# 2\n# 3\n# 4\n# 5\nallow:/\n", ["@@ -3,4 +3,4 @@"]),
        (b"allow:/\n# 2\n# 3\n# 4\n# 5\n# 6\n", ["@@ -1,4 +1,4 @@"]),
        (b"allow:/\n" + b"# x\n" * 6 + b"allow:/\n", ["@@ -1,8 +1,8 @@"]),
        (b"allow:/\n" + b"# x\n" * 7 + b"allow:/\n", ["@@ -1,4 +1,4 @@", "@@ -6,4 +6,4 @@"]),
        (b"\n\n\nAllow: /\n\n", ["@@ -1,5 +1,1 @@"]),
        (b"\n", ["@@ -1,1 +0,0 @@"]),
        (
            b"User-agent: a\nAllow: /a\nAllow: /b\nAllow: /c\nAllow: /d\nDisallow: /\nUser-agent: b\n",
            ["@@ -4,4 +4,5 @@"],
        ),
    ],
)
def test_hunks(before, hunks):
    diff = list(unified_diff("x", "formatted", align_formatted(before, tidy(before))))

    assert [line for line in diff if line.startswith("@@")] == hunks


@given(bodies)
def test_diff_has_each_line_once(body):
    after = tidy(body)
    steps = list(align_formatted(body, after)) if after != body else []

    if steps:
        assert b"".join(step.old for step in steps if step.old is not None) == body
        assert b"".join(step.new for step in steps if step.new is not None) == after
        shown = list(unified_diff("x", "formatted", align_formatted(body, after)))
        for mark, lines in (("-", body), ("+", after)):
            changed = sum(line.startswith(mark) for line in shown[2:])
            assert changed <= len(lines.splitlines())
        assert any(line.startswith(("+", "-")) for line in shown[2:])


@given(bodies, bodies)
def test_align_fixed_has_each_line_once(before, after):
    for one, other in ((before, after), (before, before + after), (after + before, before)):
        steps = list(align_fixed(one, other))

        assert b"".join(step.old for step in steps if step.old is not None) == one
        assert b"".join(step.new for step in steps if step.new is not None) == other
        assert all(step.old is not None or step.new is not None for step in steps)
        assert bool(list(unified_diff("x", "fixed", steps))) == (one != other)


def test_carriage_return_ends_a_line():
    diff = comity("--diff", "-", input=b"allow:/\rallow:/\n").stdout

    assert diff.splitlines()[3:] == ["-allow:/\\r", "-allow:/", "+Allow: /", "+Allow: /"]


def test_diff_without_changes_is_empty():
    assert list(unified_diff("x", "fixed", align_fixed(b"\r\n# a", b"\r\n# a"))) == []


def test_standard_input_goes_to_standard_output():
    result = comity("-", input=UNTIDY)

    assert result.exit_code == 0
    assert result.stdout_bytes == TIDY
    assert result.stderr == ""


@pytest.mark.parametrize(("body", "status"), [(UNTIDY, 1), (TIDY, 0)])
def test_standard_input_is_checked(body, status):
    result = comity("--check", "-", input=body)

    assert result.exit_code == status
    assert result.stdout == ""


def test_json(untidy):
    result = comity("--json", "--diff", untidy)

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "file": str(untidy),
        "changed": True,
        "skipped": "",
        "size": len(UNTIDY),
        "formatted_size": len(TIDY),
        "diff": comity("--diff", untidy).stdout,
    }


#: 100 bytes, and one more when it is formatted.
LINE = b"allow:/".ljust(99, b"a") + b"\n"

#: (body, reason why it is not formatted)
SKIPPED = [
    (LINE * (LIMIT // 100 + 1), "larger than 500 KiB, where robots may cut it"),
    (
        LINE * (LIMIT // 100),
        "larger than 500 KiB after formatting, where robots may cut it",
    ),
    (b"\xff\xfe\nuser-agent:*\nallow:/\n", "UTF-16, which no robot reads"),
    (b"\x89PNG\r\n\x1a\nuser-agent:*\n  a : b  \n", "not text, but PNG"),
    (bytes(range(32)) + b"\nuser-agent:*\nallow:/\n", "not text, but binary"),
    (b"<!DOCTYPE html>\n<pre>\nuser-agent:*\nallow:/\n", "a web page or JSON, not a robots.txt"),
]


@pytest.mark.parametrize(("body", "reason"), SKIPPED, ids=[row[1] for row in SKIPPED])
def test_skipped_files(untidy, body, reason):
    untidy.write_bytes(body)
    for arguments in ([], ["--diff"]):
        result = comity(*arguments, untidy)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.splitlines()[0] == f"{untidy}: skipped: {reason}"
        assert result.stderr.endswith("1 file: 1 unchanged\n")
    piped = comity("-", input=body)

    assert piped.stdout_bytes == untidy.read_bytes() == body
    assert piped.stderr == f"standard input: skipped: {reason}\n"
    assert json.loads(comity("--json", "--check", untidy).stdout)["skipped"] == reason


def test_default_file_is_robots_txt(untidy, monkeypatch):
    monkeypatch.chdir(untidy.parent)

    assert comity("--check").stderr == "would change robots.txt\n1 file: 1 would change\n"
    assert comity().exit_code == 0
    assert untidy.read_bytes() == TIDY


def test_diff_does_not_align_repetitive_lines():
    """Aligning such lines could take hours; the diff has all old lines before all new ones."""
    before = [f"Allow: /{number % 150}\n" for number in range(20_000)]
    after = [f"Allow: /{number * 7 % 150}\n" for number in range(20_000)]
    shown = list(unified_diff("x", "fixed", align("".join(before).encode(), "".join(after).encode())))

    assert shown[2] == "@@ -1,20000 +1,20000 @@"
    assert shown[3:] == [*(f"-{line[:-1]}" for line in before), *(f"+{line[:-1]}" for line in after)]


def test_diff_of_two_files_aligns_equal_lines():
    before = b"".join(b"Disallow: /%d\n" % number for number in range(20))
    shown = list(unified_diff("x", "fixed", align(before, before.replace(b"/9\n", b"/nine\nAllow: /\n"))))

    assert shown[2:] == [
        "@@ -7,7 +7,8 @@",
        *(f" Disallow: /{number}" for number in (6, 7, 8)),
        "-Disallow: /9",
        "+Disallow: /nine",
        "+Allow: /",
        *(f" Disallow: /{number}" for number in (10, 11, 12)),
    ]


@given(bodies, bodies)
def test_diff_of_any_two_files(before, after):
    shown = list(unified_diff("x", "built", align(before, after)))

    assert bool(shown) is (before != after)
    assert shown[:2] == (["--- x", "+++ x (built)"] if shown else [])
    assert all(line[:1] in ("-", "+", " ", "@", "\\") for line in shown)
    marks = [line[0] for line in shown[2:]]
    assert marks.count("-") + marks.count(" ") <= len(before.splitlines())
    assert all(line.replace("\n\\ No newline at end of file", "").isprintable() for line in shown)


def test_unreadable_file_does_not_stop_the_others(untidy, tmp_path):
    result = comity(tmp_path / "none", untidy, tmp_path)

    assert result.exit_code == 2
    assert untidy.read_bytes() == TIDY
    assert f"Error: {tmp_path / 'none'}: cannot be read: No such file or directory" in result.stderr
    assert f"Error: {tmp_path}: cannot be read: {DIRECTORY_ERROR}" in result.stderr
    assert result.stderr.endswith("3 files: 1 changed, 2 failed\n")


@posix_only("FIFOs")
def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="not a regular file"):
        replace_file(str(tmp_path / "fifo"), b"")

    assert os.listdir(tmp_path) == ["fifo"]


def test_failed_write_changes_nothing(untidy, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: os.stat(tmp_path / "none"))
    result = comity(untidy)

    assert result.exit_code == 2
    assert untidy.read_bytes() == UNTIDY
    assert os.listdir(tmp_path) == ["robots.txt"]


@not_root
def test_read_only_file(untidy):
    untidy.chmod(0o400)

    assert comity(untidy).exit_code == 2
    assert untidy.read_bytes() == UNTIDY


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Error: robots.txt: cannot be read: No such file or directory"),
        (["-", "-"], "standard input can be read only once"),
        (["-", "--json"], "--json: standard output has the formatted file"),
    ],
)
def test_wrong_usage_is_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = comity(*arguments, input=b"")

    assert result.exit_code == 2
    assert message in result.stderr
