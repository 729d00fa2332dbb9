"""`comity log`, run as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import comity as library
from comity import Disallowed, Robot
from comity.cli import main
from comity.politeness.log_files.chained_file import head_path
from comity.stores import MemoryStore
from comity.testing import FakeSite


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["log", *map(str, arguments)], **options)


def objects(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def log(tmp_path):
    log = tmp_path / "decisions.jsonl"
    site = FakeSite(
        {"/1": "page", "https://www.example.com/robots.txt": ""}, robots="User-agent: *\nDisallow: /private"
    )
    with Robot("ExampleBot/1.0", contact="a@example.com", log=log, transport=site, clock=site.clock) as robot:
        robot.get("https://example.com/1")
        robot.get("https://www.example.com/2")
        with pytest.raises(Disallowed):
            robot.get("https://example.com/private\u202e")
    return log


def altered(log, line):
    lines = log.read_text("ascii").splitlines(keepends=True)
    lines[line] = lines[line].replace('"status": ', '"status": 1')
    log.write_text("".join(lines), "ascii")


def test_log_that_holds(log):
    result = comity("verify", log)
    last = json.loads(log.read_text("ascii").splitlines()[-1])["hash"]

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "lines: 5; all hold",
        "decisions replayed: 3, with 2 different robots.txt",
        "gaps compared: 2",
        f"last line: number 5, hash {last}",
    ]
    assert comity("verify", log, "--anchor", last).exit_code == 0
    assert comity("verify", log, "--anchor", "0" * 64).exit_code == 1
    assert objects(comity("verify", log, "--json"))[-1]["logs"][0]["last_hash"] == last


def test_altered_line(log):
    altered(log, 2)
    result = comity("verify", log)

    assert result.exit_code == 1
    assert result.stdout.startswith(f"{log}:3: altered: its hash is not the hash of its content\n")
    assert "lines: 5; 4 hold, 1 does not" in result.stdout
    finding, counts = objects(comity("verify", log, "--json"))
    assert (finding["line"], finding["problem"]) == (3, "altered")
    assert (counts["holds"], counts["problems"]) == (False, {"altered": 1})


@pytest.mark.parametrize("is_shared", [True, False])
def test_several_logs(tmp_path, monkeypatch, is_shared):
    monkeypatch.chdir(tmp_path)
    site, store = FakeSite({}, robots="User-agent: *\nCrawl-delay: 5"), MemoryStore()
    robots = [
        Robot(
            "ExampleBot/1.0",
            contact="a@example.com",
            log=log,
            transport=site,
            clock=site.clock,
            store=store if is_shared else None,
        )
        for log in ("a.jsonl", "b.jsonl")
    ]
    for number in range(6):
        site.clock.now += 2
        robots[number % 2].get(f"https://example.com/{number}")
    result = comity("verify", "a.jsonl", "b.jsonl")
    ends = [json.loads(Path(log).read_text("ascii").splitlines()[-1]) for log in ("a.jsonl", "b.jsonl")]

    assert result.exit_code == 0
    assert result.stdout.splitlines()[3:] == [
        *([] if is_shared else ["gaps not compared: a.jsonl with b.jsonl; their robots share no store"]),
        *(
            f"last line of {name}: number {end['number']}, hash {end['hash']}"
            for name, end in zip(("a.jsonl", "b.jsonl"), ends, strict=True)
        ),
    ]
    counts = objects(comity("verify", "a.jsonl", "b.jsonl", "--json"))[-1]
    assert counts["unshared"] == ([] if is_shared else [["a.jsonl", "b.jsonl"]])


@pytest.mark.parametrize(
    "damage", [lambda head: head.unlink(), lambda head: head.write_text("{}", encoding="utf-8")]
)
def test_end_that_is_not_known_is_reported(log, damage):
    """Without the head, a log whose end was cut holds: only an anchor can show it."""
    last = json.loads(log.read_text("ascii").splitlines()[-1])["hash"]
    assert objects(comity("verify", log, "--json"))[-1]["logs"][0]["end_known"] is True
    damage(head_path(log))
    result = comity("verify", log)

    assert result.exit_code == 0
    assert result.stdout.endswith("\nthe log may be cut: there is no head that names its last line\n")
    assert objects(comity("verify", log, "--json"))[-1]["logs"][0]["end_known"] is False
    assert "may be cut" not in comity("verify", log, "--anchor", last).stdout


def test_number_of_problems_shown(log):
    log.write_bytes(b"\n" * 200)
    result = comity("verify", log)

    assert result.stdout.count(": altered:") == 100
    assert "101 more problems; --json shows all" in result.stdout


def test_log_from_another_folder(log, tmp_path):
    copy = tmp_path / "copy" / "decisions.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(log.read_bytes())

    assert comity("verify", copy).exit_code == 1
    assert comity("verify", copy, "--evidence", log.parent / "evidence").exit_code == 0
    assert comity("verify", "-", "--evidence", log.parent / "evidence", input=log.read_bytes()).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify"],
        ["verify", "missing"],
        ["verify", "."],
        ["verify", "empty"],
        ["verify", "--anchor", "x", "empty"],
        ["verify", "--evidence", "missing", "empty"],
        ["show"],
        ["show", "missing"],
        ["show", "--since", "yesterday", "empty"],
        ["show", "--csv", "--json", "empty"],
        ["show", "--status", "ok", "empty"],
        ["show", "--since", "2026-11-23", "--until", "2026-11-23", "empty"],
        ["other"],
    ],
)
def test_wrong_usage(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    result = comity(*arguments)

    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


#: A file, and the exit status and error of `verify` and of `show`.
UNUSABLE = {
    "folder": (
        2,
        "Error: folder: cannot be read: Is a directory",
        2,
        "Error: folder: cannot be read: Is a directory",
    ),
    "missing": (2, "Error: missing: cannot be read: No such", 2, "Error: missing: cannot be read: No such"),
    "empty": (2, "Error: empty: no line found", 1, "empty: no record found"),
    "robots.txt": (
        2,
        "Error: robots.txt: not a decision log; ",
        2,
        "Error: robots.txt: not a decision log; ",
    ),
    "binary": (2, "Error: binary: not a decision log; ", 2, "Error: binary: not a decision log; "),
    "blank": (2, "Error: blank: not a decision log; ", 2, "Error: blank: not a decision log; "),
    "package.json": (
        2,
        "Error: package.json: not a decision log; ",
        2,
        "Error: package.json: not a decision log; ",
    ),
}


@pytest.mark.parametrize("file", UNUSABLE)
@pytest.mark.parametrize("options", [(), ("--json",), ("--summary",)], ids=" ".join)
def test_file_that_is_not_a_log(file, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "blank").write_bytes(b"\n" * 200)
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /made\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "package.json").write_bytes(b'{\n  "name": "tea",\n  "url": "https://example.com/"\n}\n')
    verify_status, verify_error, show_status, show_error = UNUSABLE[file]
    shown = comity("show", file, *options)
    assert (shown.exit_code, shown.stdout) == (show_status, "")
    assert shown.stderr.splitlines()[-1].startswith(show_error)
    if "--summary" not in options:
        verified = comity("verify", file, *options)
        assert (verified.exit_code, verified.stdout) == (verify_status, "")
        assert verified.stderr.splitlines()[-1].startswith(verify_error)


def test_log_that_is_still_written_is_shown_line_by_line(log, tmp_path):
    command = [sys.executable, "-m", "comity", "log", "show", "-"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(library.__file__).parents[1]),
        "PYTHONUNBUFFERED": "1",
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii", env=environment
    ) as shown:
        lines = log.read_text("ascii").splitlines(keepends=True)
        shown.stdin.write(lines[0])
        shown.stdin.flush()
        first = shown.stdout.readline()
        rest, _ = shown.communicate("".join(lines[1:]))

    assert "https://example.com/robots.txt" in first
    assert len(rest.splitlines()) == 4


def test_log_that_was_overwritten_is_altered(log):
    """Its head shows that it was a log, and so does an anchor."""
    log.write_bytes(b"User-agent: *\n")
    assert comity("verify", log).exit_code == 1
    copy = log.with_name("copy")
    copy.write_bytes(b"User-agent: *\n")
    assert comity("verify", copy).exit_code == 2
    assert comity("verify", copy, "--anchor", "0" * 64).exit_code == 1


#: Options of `show` that select nothing, or less than they name, and the messages.
UNMATCHED = {
    ("--reason", "nosuch"): [
        "--reason 'nosuch': no record has it; the log has robots-txt-itself, no-rule-matches, file-without-groups, "
        "longest-match",
        "no match in 5 records",
    ],
    ("--reason", "nosuch", "--reason", "longest-match"): [
        "--reason 'nosuch': no record has it; the log has robots-txt-itself, no-rule-matches, file-without-groups, "
        "longest-match",
    ],
    ("--status", "500"): [
        "--status '500': no record has it; the log has 200, 404",
        "no match in 5 records",
    ],
    ("--host", "example.org"): [
        "--host 'example.org': no record has it; the log has example.com, www.example.com",
        "no match in 5 records",
    ],
    ("--id", "1"): ["--id '1': no record has it", "no match in 5 records"],
    ("--refused", "--status", "200"): ["no match in 5 records"],
    ("--since", "2030-01-01"): ["no match in 5 records"],
}


@pytest.mark.parametrize(("options", "messages"), UNMATCHED.items(), ids=str)
@pytest.mark.parametrize("form", [(), ("--json",), ("--summary",)], ids=" ".join)
def test_values_that_no_record_has(options, messages, form, log):
    result = comity("show", log, *options, *form)

    assert result.stderr.splitlines() == messages
    assert result.exit_code == (0 if result.stdout else 1)


#: Options of `show`, and the numbers of the lines that they select.
SELECTED = {
    (): [1, 2, 3, 4, 5],
    ("--host", "example.com"): [1, 2, 5],
    ("--host", "WWW.example.com"): [3, 4],
    ("--sent",): [1, 2, 3, 4],
    ("--refused",): [5],
    ("--reason", "longest-match", "--reason", "file-without-groups"): [4, 5],
    ("--status", "404"): [4],
    ("--since", "2023-11-14T22:13:21Z"): [2, 4, 5],
    ("--until", "2023-11-14T23:13:21+01:00"): [1],
    ("--since", "2023-11-15"): [],
}


@pytest.mark.parametrize(("options", "numbers"), SELECTED.items(), ids=str)
def test_selection(log, options, numbers):
    result = comity("show", log, "--json", *options)
    if options[:1] not in (("--since",), ("--until",)):
        assert [record["number"] for record in objects(result)] == numbers
    assert result.exit_code == (0 if numbers else 1)
    for record in objects(result):
        (found,) = objects(comity("show", log, "--json", "--id", record["id"]))
        assert found == record


def test_records_as_text(log):
    line = comity("show", log, "--refused").stdout
    assert line.endswith("longest-match (line 2 Disallow: /private)\n")
    assert "\x1b" not in line
    assert line.isascii()


def test_records_as_csv(log):
    head, row = comity("show", log, "--csv", "--refused").stdout.splitlines()
    assert head.startswith("number,id,time,sent,ended,method,url,made,status,reason,line,rule,")
    assert ",False,,longest-match,2,Disallow: /private," in row


def test_csv_has_no_formulas(tmp_path):
    path = tmp_path / "log"
    path.write_text(
        json.dumps({"url": "https://example.com/", "made": True, "error": "=1+1"}), encoding="utf-8"
    )
    assert ",'=1+1," in comity("show", path, "--csv").stdout


def test_summary(log):
    rows = objects(comity("show", log, "--summary", "--json"))
    assert [(row["host"], row["sent"], row["refused"]) for row in rows] == [
        ("example.com", 2, 1),
        ("www.example.com", 2, 0),
    ]
    assert rows[0]["reasons"] == {"longest-match": 1}
    assert rows[0]["shortest_gap"] >= rows[0]["required_gap"] == 1.0
    assert comity("show", log, "--summary").stdout.splitlines()[0].split()[:2] == ["host", "sent"]


def test_lines_that_are_not_records(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(
        b'text\n[1]\n{"url": 1, "made": 2}\n{"url": "x", "made": true, "reason": [1]}\n\n'
        b'{"url": "x", "made": false, "robots": 7, "gap": "g"}\n'
    )
    result = comity("show", path, "--summary")

    assert result.exit_code == 0
    assert result.stderr == "4 lines are not records; comity log verify reports them\n"
    assert comity("show", path, "--csv").exit_code == 0
    assert comity("show", path, "--reason", "x", "--status", "200", "--id", "x").exit_code == 1
    assert comity("show", path, "--host", "example.com", "--since", "2020-01-01").exit_code == 1
