"""`comity lint`, run as a user runs it."""

import json
import os
import stat
from threading import Thread

import growth
import pytest
from click.testing import CliRunner
from http_server import Server, answer
from platforms import not_root, posix_only

from comity.cli import main
from comity.site.compare import minimize
from comity.site.formatting.layout import LIMIT
from comity.site.linter.all_rules import RULES

BODY = "User-agent: *\nDisallow: private\nDisallow: /é\tx # hé\nDisallow: /a\nDisallow: /a\n"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["lint", *map(str, arguments)], **options)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robots.txt"
    path.write_bytes(BODY.encode())
    return path


def test_text_output(file):
    result = comity()

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "robots.txt:2:11: error C301 path-without-slash: `private` begins with neither `/` nor `*`, so it "
        "matches nothing; write `/private` [unsafe fix]",
        "  2 | Disallow: private",
        "    |           ^^^^^^^",
        "robots.txt:3:13: warning C305 space-in-path: a space in a path is compared as %20; write %20",
        "  3 | Disallow: /é x # hé",
        "    |             ^",
        "robots.txt:5:1: information C314 duplicate-rule: the same rule is in line 4 [fix]",
        "  5 | Disallow: /a",
        "    | ^^^^^^^^^^^^",
        "1 error, 1 warning, 1 information",
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("User-agent: *\nDisallow: /a\n", 0),
        ("User-agent: *\nDisallow: /a\nDisallow: /a\n", 0),  # only information
        ("User-agent: *\nDisallow: /a b\n", 1),
        ("User-agent: *\nDisallow: a\n", 1),
        ("", 0),
    ],
)
def test_exit_status(body, status):
    assert comity("-", input=body).exit_code == status


def test_no_findings():
    assert comity("-", input="User-agent: *\nDisallow:").stdout == "no findings\n"


def test_json(file):
    rows = [json.loads(line) for line in comity("--json").stdout.splitlines()]

    assert [row["code"] for row in rows] == ["C301", "C305", "C314"]
    assert rows[0] == {
        "file": "robots.txt",
        "line": 2,
        "column": 11,
        "end_column": 18,
        "start": 24,
        "end": 31,
        "code": "C301",
        "name": "path-without-slash",
        "severity": "error",
        "message": "`private` begins with neither `/` nor `*`, so it matches nothing; write `/private`",
        "fix": {"safe": False, "edits": [{"start": 24, "end": 24, "replacement": "/"}]},
        "more": 0,
        "also": [],
    }
    assert (rows[1]["column"], rows[1]["start"]) == (13, 45)  # the letter before has two bytes
    assert comity("--format", "json").stdout == comity("--json").stdout


def test_github(file):
    lines = comity("--format", "github").stdout.splitlines()

    assert lines[0] == (
        "::error title=C301 path-without-slash,file=robots.txt,line=2,col=11,endColumn=18::`private` begins with "
        "neither `/` nor `*`, so it matches nothing; write `/private`"
    )
    assert lines[1].startswith(
        "::warning title=C305 space-in-path,file=robots.txt,line=3,col=13,endColumn=14::"
    )
    assert "compared as %2520" in lines[1]
    assert lines[2].startswith("::notice ")


def test_sarif_has_required_properties(file):
    """SARIF 2.1.0 (OASIS), 3.13 to 3.55: the properties that must be there, and their kinds."""
    result = comity("--format", "sarif", "--select", "ALL")
    log = json.loads(result.stdout)

    assert result.exit_code == 1
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Comity"
    assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in RULES]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["properties"]["tags"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    assert run["columnKind"] == "unicodeCodePoints"
    lines = BODY.encode().splitlines(keepends=True)
    for found in run["results"]:
        assert driver["rules"][found["ruleIndex"]]["id"] == found["ruleId"]
        assert found["level"] in ("error", "warning", "note")
        assert found["message"]["text"]
        (location,) = found["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "robots.txt"}
        for fix in found.get("fixes", ()):
            assert fix["description"]["text"]
            (change,) = fix["artifactChanges"]
            for replacement in change["replacements"]:
                check_region(replacement["deletedRegion"], lines)
                assert isinstance(replacement["insertedContent"]["text"], str)
        check_region(location["physicalLocation"]["region"], lines)
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    (space,) = [found for found in run["results"] if found["ruleId"] == "C305"]
    region = space["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (3, 13, 14)
    assert (region["byteOffset"], region["byteLength"]) == (BODY.encode().index(b"\t"), 1)


def check_region(region, lines):
    """Columns and byte offsets mean the same position."""
    for line, column, offset in (
        (region["startLine"], region["startColumn"], region["byteOffset"]),
        (region["endLine"], region["endColumn"], region["byteOffset"] + region["byteLength"]),
    ):
        text = b"".join(lines)[:offset]
        assert text.count(b"\n") + 1 == line
        assert len(text.rpartition(b"\n")[2].decode()) + 1 == column


@pytest.mark.parametrize("name", ["a b/robots.txt", "é.txt"])
def test_sarif_names_files_by_references(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"Disallow: a")
    log = json.loads(comity("--format", "sarif", name).stdout)

    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == {"a b/robots.txt": "a%20b/robots.txt", "é.txt": "%C3%A9.txt"}[name]


def test_byte_order_mark_does_not_count_in_columns():
    result = comity("-", "--format", "github", input=b"\xef\xbb\xbfDisallow: a")

    assert "C104 byte-order-mark,file=standard input,line=1,col=1,endColumn=1" in result.stdout
    assert "C301 path-without-slash,file=standard input,line=1,col=11,endColumn=12" in result.stdout


def test_control_characters_are_escaped():
    result = comity("-", input=b"User-agent: \x1b[31m\nDisallow: a\x1b\xff" + b"b" * 300)

    assert "\x1b" not in result.stdout
    assert "..." in result.stdout
    for form in ("json", "sarif", "github"):
        assert (
            "\x1b"
            not in comity("-", "--format", form, input=b"User-agent: \x1b[31m\nDisallow: a\x1b\xff").stdout
        )


def test_findings_over_the_limit_are_counted():
    lines = comity(
        "-", input="User-agent: *\n" + "Disallow: /a b\n" * 130, env={"NO_COLOR": "1"}
    ).stdout.splitlines()

    assert "standard input: and 30 more of C305" in lines
    assert lines[-1] == "130 warnings, 129 information"


def test_safe_fixes_are_written(file):
    file.chmod(0o640)
    mode = stat.S_IMODE(file.stat().st_mode)  # Windows knows only read-only files
    result = comity("--fix")

    assert result.exit_code == 1  # the other findings are reported
    assert file.read_bytes() == BODY.encode().removesuffix(b"Disallow: /a\n")
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert "C314" not in result.stdout
    assert result.stderr == "robots.txt: fixed\n"
    assert os.listdir(file.parent) == ["robots.txt"]


def test_unsafe_fixes_need_an_option(file):
    assert comity("--fix", "--unsafe-fixes").exit_code == 1
    assert b"Disallow: /private\n" in file.read_bytes()
    assert comity("--unsafe-fixes").exit_code == 2


def test_unchanged_file_is_not_written(file):
    file.write_bytes(b"User-agent: *\nDisallow: a\n")
    os.utime(file, ns=(1, 1))
    before = file.stat()
    comity("--fix")

    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_name_in_other_case_is_reported(tmp_path, monkeypatch):
    """RFC 9309 2.3: the path is /robots.txt, in lower case."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Robots.TXT").write_bytes(b"User-agent: *\nDisallow: /a\n")
    warned = comity("Robots.TXT")
    beside = comity()

    assert warned.stderr.endswith(
        "Robots.TXT: robots request only robots.txt, in lower case; rename the file\n"
    )
    assert warned.exit_code == 0
    if not (tmp_path / "robots.txt").exists():  # the file system tells them apart
        assert beside.exit_code == 2
        assert "; there is Robots.TXT, but robots request only robots.txt, in lower case" in beside.stderr


@posix_only("symbolic links")
def test_symbolic_link_is_kept(file):
    link = file.parent / "link.txt"
    link.symlink_to(file.name)
    comity("--fix", "link.txt")

    assert link.is_symlink()
    assert file.read_bytes() != BODY.encode()


@not_root
def test_read_only_folder_is_an_error(file):
    file.parent.chmod(0o500)
    try:
        result = comity("--fix")
    finally:
        file.parent.chmod(0o700)

    assert result.exit_code == 2
    assert "robots.txt: cannot be written" in result.output


def test_standard_input_is_fixed_on_standard_output():
    result = comity("-", "--fix", input=BODY)

    assert result.stdout_bytes == BODY.encode().removesuffix(b"Disallow: /a\n")
    assert "C301" in result.stderr
    assert comity("-", "--fix", input="User-agent: *\nDisallow:").stdout == "User-agent: *\nDisallow:"


def test_diff_writes_nothing(file):
    result = comity("--diff")

    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == ["--- robots.txt", "+++ robots.txt (fixed)"]
    assert result.stdout.splitlines()[-1] == "-Disallow: /a"
    assert file.read_bytes() == BODY.encode()
    assert "+Disallow: /private" in comity("--diff", "--unsafe-fixes").stdout
    nothing = comity("-", "--diff", input="User-agent: *\nDisallow: /a")
    assert (nothing.exit_code, nothing.stdout) == (0, "")


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("// a\rUser-agent: *\rDisallow: /\r", ["-// a\\r", "-User-agent: *\\r", "-Disallow: /\\r", "+# // a", "+User-agent: *", "+Disallow: /"]),
        ("\ufeffUser-agent: *\nDisallow: /", ["-\\ufeffUser-agent: *", "+User-agent: *", " Disallow: /", "\\ No newline at end of file"]),
        (
            "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /a\nDisallow: /c\n",
            [" User-agent: *", " Disallow: /a", " Disallow: /b", "-Disallow: /a", " Disallow: /c"],
        ),
        (
            "User-agent: *\nDisallow: /a\n" + "Disallow: /a\n" * 12 + "Disallow: /b\n",
            [" User-agent: *", *["-Disallow: /a"] * 12, " Disallow: /a", " Disallow: /b"],
        ),
    ],
)  # fmt: skip
def test_diffs(before, shown):
    result = comity("-", "--diff", input=before)

    assert result.exit_code == 1
    assert sorted(result.stdout.splitlines()[3:]) == sorted(shown)


def test_diff_of_a_large_file():
    """A comparison in quadratic time would take minutes."""
    lines = "".join(f"// {at}\nDisallow: /a\n" for at in range(5_000))
    with growth.at_most(80):
        result = comity("-", "--diff", input=f"User-agent: *\n{lines}")

    assert result.stdout.count("\n-") == 9_999
    assert result.stdout.count("\n+# ") == 5_000


def test_line_end_is_marked_once():
    lines = comity("-", "--select", "C111", input=b"User-agent: *\rDisallow: /\n").stdout.splitlines()

    assert lines[1:3] == ["  1 | User-agent: *", "    |              ^"]


def test_unapplied_fixes_are_reported(tmp_path):
    path = tmp_path / "robots.txt"
    body = b"// a\nUser-agent: *\nDisallow: /a\n" + b"#" * (LIMIT - 40) + b"\n"
    path.write_bytes(body + b"#\n" * 3)
    result = comity("--fix", path)

    assert path.read_bytes() == body + b"#\n" * 3
    assert f"{path}: 1 not fixed" in result.stderr
    assert "[fix]" not in result.stdout


@not_root
def test_read_only_file_is_not_replaced(file):
    file.chmod(0o400)
    result = comity("--fix")

    assert result.exit_code == 2
    assert "robots.txt: cannot be written: Permission denied" in result.output
    assert file.read_bytes() == BODY.encode()


@posix_only("FIFOs")
def test_special_file_is_not_replaced(file):
    fifo = file.parent / "fifo"
    os.mkfifo(fifo)
    writer = Thread(target=fifo.write_text, args=(BODY, "utf-8"))
    writer.start()
    result = comity("--fix", "fifo")
    writer.join()

    assert result.exit_code == 2
    assert "not a regular file" in result.output
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_options_override_settings(file):
    (file.parent / "pyproject.toml").write_bytes(
        b"[tool.comity.lint]\nselect = ['C314', 'C305']\nignore = ['C305']"
    )

    assert [json.loads(line)["code"] for line in comity("--json").stdout.splitlines()] == ["C314"]
    found = comity("--json", "--select", "c301,C305", "--select", "C314", "--ignore", "C314").stdout
    assert [json.loads(line)["code"] for line in found.splitlines()] == ["C301"]
    other = file.parent / "other.toml"
    other.write_bytes(b"[lint]\nselect = ['C301']\nseverity = { C301 = 'information' }")
    result = comity("--config", other)
    assert result.exit_code == 0
    assert "information C301" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nowhere.txt"], "nowhere.txt: cannot be read"),
        (["--config", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--select", ""], "--select: no code given"),
        (["--select", "C301", "--select", " , "], "--select: no code given"),
        (["--select", "X1"], "--select: no rule has the code 'X1'; comity lint --rules lists them"),
        (["--ignore", "X1"], "--ignore: no rule has the code 'X1'"),
        (["--explain-rule", "C999"], "unknown rule 'C999'"),
        (["--json", "--format", "sarif"], "contradicts"),
        (["--diff", "--format", "text"], "leave --format out"),
        (["--diff", "--json"], "leave --json out"),
        (["-", "-"], "standard input can be read only once"),
        (["--fix", "https://example.com/"], "it cannot change the robots.txt of a site"),
        (["https://"], "https://"),
        (["--format", "xml"], "xml"),
    ],
)
def test_wrong_usage(file, arguments, expected):
    result = comity(*arguments)

    assert result.exit_code == 2
    assert expected in result.output
    assert "Traceback" not in result.output


def test_invalid_settings(file):
    (file.parent / "comity.toml").write_bytes(b"[lint]\nselekt = []")
    result = comity()

    assert result.exit_code == 2
    assert "comity.toml: unknown setting 'selekt'" in result.output


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_explain_rule(rule):
    result = comity("--explain-rule", rule.code.lower())

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{rule.code} {rule.name} ({rule.severity}")
    assert rule.documentation.strip() in result.stdout
    assert comity("--explain-rule", rule.name).stdout == result.stdout


def test_explain_diagnostic_without_a_rule():
    result = comity("--explain-rule", "c218")

    assert result.stdout == (
        "C218 agent-not-a-token (information, only a diagnostic)\n\nA robot's name has digits or dots.\n"
    )


def test_list_of_rules():
    _head, *rows = comity("--rules").stdout.splitlines()

    assert [row.split()[0] for row in rows] == [rule.code for rule in RULES]


def test_baseline_hides_known_findings_wherever_they_move(file):
    written = comity("--baseline", "known.json", "--write-baseline")
    assert (written.exit_code, written.stdout) == (0, "")
    assert written.stderr == "known.json: 3 findings\n"
    again = comity("./robots.txt", "--baseline", "known.json")
    assert (again.exit_code, again.stdout) == (0, "no new findings\n")

    file.write_bytes(b"# moved\n\n" + BODY.encode() + b"Disallow: new\nDisallow: private\n")
    rows = [json.loads(line) for line in comity("--baseline", "known.json", "--json").stdout.splitlines()]
    assert [(row["code"], row["line"], row["also"]) for row in rows] == [("C301", 8, [9]), ("C314", 9, [])]

    comity("--baseline", "known.json", "--fix", "--unsafe-fixes")
    assert file.read_bytes().endswith(b"Disallow: /a\nDisallow: /a\nDisallow: /new\n")
    assert b"\nDisallow: private\n" in file.read_bytes()


def test_baseline_of_one_file_keeps_those_of_others(file):
    (file.parent / "other.txt").write_text("User-agent: *\nDisallow: b", "utf-8")
    for name in ("robots.txt", "other.txt"):
        comity(name, "--baseline", "known.json", "--write-baseline")

    assert comity("robots.txt", "other.txt", "--baseline", "known.json").stdout == "no new findings\n"


@pytest.mark.parametrize(
    ("options", "body", "expected"),
    [
        (("--write-baseline",), None, "--write-baseline needs --baseline"),
        (
            ("--baseline", "known.json", "--write-baseline", "--fix"),
            None,
            "--write-baseline needs --baseline",
        ),
        (("--baseline", "known.json"), None, "known.json: cannot be read"),
        (("--baseline", "known.json"), "{}", "known.json: not a baseline"),
        (("--baseline", "known.json"), '{"version": 2, "files": {}}', "known.json: not a baseline"),
        (("--baseline", "known.json"), '{"version": 1, "files": {"a": [{"code": 1}]}}', "not a baseline"),
        (("--baseline", "known.json"), "[" * 100_000, "not a baseline"),
        (("--baseline", "robots.txt", "--write-baseline"), None, "robots.txt: not a baseline"),
    ],
)
def test_wrong_use_of_baselines(file, options, body, expected):
    if body is not None:
        (file.parent / "known.json").write_text(body, "utf-8")
    result = comity(*options)

    assert result.exit_code == 2
    assert expected in result.stderr
    assert file.read_bytes() == BODY.encode()


def test_url_argument():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /a b\nSitemap: /s.xml")}) as server:
        result = comity(f"{server.origin}/page", "--json")

    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [row["code"] for row in rows] == ["C305", "C501"]
    assert rows[0]["file"] == f"{server.origin}/robots.txt"
    assert server.paths() == ["/robots.txt"]


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (404, 0, "no robots.txt to check"),
        (401, 0, "robots of 1996 stay out. To close the site, send a robots.txt"),
        (403, 0, "no robots.txt to check"),
        (503, 3, "is unreachable"),
    ],
)
def test_url_without_robots_txt(status, code, expected):
    with Server({"/robots.txt": answer(status)}) as server:
        result = comity(server.origin)

    assert result.exit_code == code
    assert expected in result.output
    assert "no findings" not in result.output
    assert "Traceback" not in result.output


def test_unreadable_file_does_not_stop_others(file):
    (file.parent / "folder").mkdir()
    names = ("nowhere.txt", "robots.txt", "folder", "robots.txt")
    result = comity(*names)

    assert result.exit_code == 2
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["Error", "Error"]
    assert "nowhere.txt: cannot be read" in result.stderr
    assert "folder: cannot be read" in result.stderr
    assert result.stdout.endswith("2 errors, 2 warnings, 2 information\n")
    assert [json.loads(line)["code"] for line in comity(*names, "--json").stdout.splitlines()] == [
        "C301",
        "C305",
        "C314",
    ] * 2
    (run,) = json.loads(comity(*names, "--format", "sarif").stdout)["runs"]
    assert len(run["results"]) == 6
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    messages = [notification["message"]["text"] for notification in invocation["toolExecutionNotifications"]]
    assert [text.partition(":")[0] for text in messages] == ["nowhere.txt", "folder"]
    assert comity("nowhere.txt").stdout == ""
    fixed = comity("nowhere.txt", "--fix", "robots.txt")
    assert (fixed.exit_code, file.read_bytes()) == (2, BODY.encode().removesuffix(b"Disallow: /a\n"))


def test_unreachable_site_does_not_stop_others(file):
    with Server({"/robots.txt": answer(503)}) as server:
        result = comity(server.origin, "robots.txt")
        both = comity(server.origin, "nowhere.txt", "https://")

    assert (result.exit_code, both.exit_code) == (3, 2)
    assert "C301" in result.stdout


def test_closed_site_is_reported_for_url():
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisallow: /")}) as server:
        result = comity(server.origin, "--json")

    assert [json.loads(line)["code"] for line in result.stdout.splitlines()] == ["C217"]
    assert comity("-", input="User-agent: *\nDisallow: /").stdout == "no findings\n"


def fingerprints(body):
    log = json.loads(comity("-", "--format", "sarif", input=body).stdout)
    return [found["partialFingerprints"]["codeAndLine/v1"] for found in log["runs"][0]["results"]]


def test_fingerprints_stay_if_lines_move():
    before = fingerprints("User-agent: *\nDisallow: /a b\nDisallow: /b b\nDisallow: /a b")
    after = fingerprints(
        "# new\nUser-agent: *\nDisallow: /c b\nDisallow:  /b b\nDisallow: /a b\nDisallow: /a b"
    )

    assert len(set(before)) == len(before) == 4  # the last line is a duplicate too
    assert set(before) < set(after)


def test_text_does_the_same_work_as_json(monkeypatch):
    """The text has no further analysis: minimizing a file takes several times the time of the linter."""
    monkeypatch.setattr(minimize, "minimize", lambda *arguments, **named: pytest.fail("minimized unasked"))
    result = comity("-", "--ignore", "C324", input="User-agent: *\nDisallow: /a\nDisallow: /a/b")

    assert result.stdout == "no findings\n"


@posix_only("FIFOs")
def test_pipe_with_the_name_of_settings_is_refused(file):
    """It is not opened, because a pipe without a writer would block."""
    os.mkfifo(file.parent / "comity.toml")
    result = comity()

    assert result.exit_code == 2
    assert result.stderr.endswith("comity.toml: cannot be read: not a regular file\n")
