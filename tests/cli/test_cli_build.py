"""`comity build`, run as a user runs it."""

import json
import os
import re
import stat
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from platforms import DIRECTORY_ERROR, posix_only

from comity.cli import main

PLAN = """\
close = ["/tmp/"]
[environments.staging]
closed = true
"""
SHOP = "User-agent: *\nDisallow: /shop/cart/\n"
BODY = "User-agent: *\nDisallow: /shop/cart/\nDisallow: /tmp/\n"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["build", *map(str, arguments)], **options)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots.toml").write_bytes(PLAN.encode())
    (tmp_path / "robots.d").mkdir()
    (tmp_path / "robots.d" / "shop.txt").write_bytes(SHOP.encode())
    return tmp_path


def test_to_standard_output():
    result = comity()

    assert result.exit_code == 0
    assert result.stdout == BODY
    assert result.stderr == ""


@pytest.mark.parametrize("path", [".", "robots.toml"])
def test_paths(path):
    assert comity(path).stdout == BODY


def test_folder_of_fragments():
    assert comity("robots.d").stdout == SHOP


def test_short_option_for_the_output(folder):
    results = comity("-o", "short.txt"), comity("--output", "long.txt")

    assert [(result.exit_code, result.stdout) for result in results] == [(0, "")] * 2
    assert (folder / "short.txt").read_bytes() == (folder / "long.txt").read_bytes() == BODY.encode()


def test_plan_from_standard_input():
    assert comity("-", input=b'fragments = "robots.d"').stdout == SHOP
    result = comity("-", input=b"fragments =")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: standard input: not valid TOML: Invalid value")


def test_environment():
    result = comity("--environment", "staging")

    assert result.exit_code == 0
    assert result.stdout.startswith("User-agent: *\nUser-agent: AdsBot-Google\n")
    assert result.stdout.endswith("\nDisallow: /\n")
    assert result.stderr == ""


def test_notes_go_to_standard_error(folder):
    (folder / "robots.toml").write_bytes(b'block = ["training"]\n')
    result = comity()

    assert result.exit_code == 0
    assert "User-agent: CCBot\n" in result.stdout
    assert "Note: robots.toml: block[0] blocks training but not data: " in result.stderr


def test_provenance():
    result = comity("--provenance")

    assert "# from robots.d/shop.txt:2:1\nDisallow: /shop/cart/\n" in result.stdout
    assert "# from robots.toml: close[0]\nDisallow: /tmp/\n" in result.stdout


def test_provenance_does_not_depend_on_the_path(folder):
    assert comity("--provenance", "--output", "robots.txt").exit_code == 0
    assert str(folder) not in (folder / "robots.txt").read_text(encoding="utf-8")
    for path in (folder, folder / "robots.toml", "./", f"../{folder.name}"):
        result = comity(path, "--provenance", "--check")
        assert (result.exit_code, result.stdout) == (0, "")


def test_fragment_that_opens_paths_to_a_blocked_agent_is_1(folder):
    (folder / "robots.toml").write_bytes(b'block = ["training"]\n')
    (folder / "robots.d" / "shop.txt").write_bytes(b"User-agent: GPTBot\nAllow: /shop/\n")
    result = comity()

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "Error: GPTBot: `Allow: /shop/` (robots.d/shop.txt:2:1) opens paths that robots.toml: "
    )


def test_environment_without_effect_is_noted(folder):
    (folder / "robots.toml").write_bytes(b"[environments.staging]\n")
    result = comity("--environment", "staging")

    assert (result.exit_code, result.stdout) == (0, SHOP)
    assert result.stderr.startswith("Note: robots.toml: environments.staging changes nothing, ")


def test_unchanged_file_is_not_written(folder):
    output = folder / "robots.txt"
    result = comity("--output", output)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"{output} was written\n"
    assert output.read_text(encoding="utf-8") == BODY
    before = output.stat()
    assert stat.S_IMODE(before.st_mode) == stat.S_IMODE((folder / "robots.toml").stat().st_mode)

    result = comity("--output", output)
    assert result.stderr == f"{output} is up to date\n"
    assert output.stat().st_ino == before.st_ino
    assert sorted(os.listdir(folder)) == ["robots.d", "robots.toml", "robots.txt"]


@pytest.mark.parametrize("named", [[], ["--output", "robots.txt"]])
def test_check(folder, named):
    """The default is robots.txt, as for lint and fmt."""
    result = comity("--check", *named)
    assert result.exit_code == 1
    assert result.stderr == "robots.txt differs from the result\n"
    assert result.stdout.splitlines() == [
        "--- robots.txt",
        "+++ robots.txt (built)",
        "@@ -0,0 +1,3 @@",
        *(f"+{line}" for line in BODY.splitlines()),
    ]
    assert not (folder / "robots.txt").exists()

    (folder / "robots.txt").write_bytes(BODY.encode())
    result = comity("--check", *named)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "robots.txt is up to date\n"
    (folder / "robots.txt").write_bytes(BODY.encode().replace(b"/shop/cart/\n", b"/shop/\x1b\r\n"))
    before = (folder / "robots.txt").read_bytes()
    result = comity("--check", *named)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [
        "@@ -1,3 +1,3 @@",
        " User-agent: *",
        "-Disallow: /shop/\\x1b\\r",
        "+Disallow: /shop/cart/",
        " Disallow: /tmp/",
    ]
    assert json.loads(comity("--check", "--json", *named).stdout)["diff"] == result.stdout
    assert (folder / "robots.txt").read_bytes() == before
    assert comity("--check", "--environment", "staging", *named).exit_code == 1


HOOKS = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


def hook(name):
    """Return the keys of a hook; the file is simple enough to need no YAML parser."""
    (text,) = [part for part in HOOKS.split("- id: ") if part.startswith(f"{name}\n")]
    return dict(line.strip().split(": ", 1) for line in text.splitlines()[1:])


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("robots.toml", True),
        ("site/robots.toml", True),
        ("robots.d/shop.txt", True),
        ("site/robots.d/shop.txt", True),
        ("public/robots.txt", True),
        ("myrobots.toml", False),
        ("robots.d/notes.md", True),
        ("notes.txt", False),
    ],
)
def test_pre_commit_hook(path, matches):
    keys = hook("comity-build")

    assert (re.search(keys["files"], path) is not None) is matches
    assert keys["pass_filenames"] == "false"
    program, command, *arguments = keys["entry"].split()
    assert (program, command) == ("comity", "build")
    assert comity(*arguments).exit_code == 1


def test_json():
    result = comity("--json", "--output", "robots.txt")

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "environment": None,
        "size": len(BODY),
        "lines": [
            {"text": "User-agent: *", "sources": ["robots.toml: close[0]", "robots.d/shop.txt:1:1"]},
            {"text": "Disallow: /shop/cart/", "sources": ["robots.d/shop.txt:2:1"]},
            {"text": "Disallow: /tmp/", "sources": ["robots.toml: close[0]"]},
        ],
        "notes": [],
        "changed": True,
    }
    assert json.loads(comity("--json", "--output", "robots.txt").stdout)["changed"] is False


def test_conflict_is_1_and_names_both_sources(folder):
    (folder / "robots.d" / "tmp.txt").write_bytes(b"User-agent: *\nAllow: /tmp/\n")
    result = comity("--output", "robots.txt")

    assert result.exit_code == 1
    assert result.stderr == (
        "Error: *: `Allow: /tmp/` (robots.d/tmp.txt:2:1) contradicts `Disallow: /tmp/` (robots.toml: close[0])\n"
    )
    assert not (folder / "robots.txt").exists()
    record = json.loads(comity("--json").stdout)
    assert record["conflict"] is True
    assert len(record["problems"]) == 1


def test_all_problems_are_reported(folder):
    (folder / "robots.toml").write_bytes(b'clos = "/"\nclose = "x"\n')
    result = comity()

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "Error: robots.toml: clos: unknown key; did you mean close?",
        "Error: robots.toml: close: `x` begins with neither `/` nor `*`, so it matches nothing; write `/x`",
    ]
    assert json.loads(comity("--json").stdout)["conflict"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "--output", "robots.d"], f"Error: robots.d: cannot be read: {DIRECTORY_ERROR}"),
        (["none"], "Error: none: cannot be read: No such file or directory"),
        (["http://u:secret@x/"], "Error: http://x/: cannot be read: No such file or directory"),
        (["--output", "robots.d"], f"Error: robots.d: cannot be read: {DIRECTORY_ERROR}"),
        (["--output", "none/robots.txt"], "none/robots.txt: cannot be written: No such file or directory"),
        (["--environment", "stagng"], "unknown environment stagng; did you mean staging?"),
        (["robots.d/shop.txt"], "Error: robots.d/shop.txt: "),
    ],
)
def test_wrong_usage_is_2(arguments, message):
    result = comity(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


@posix_only("named pipes")
def test_pipe_among_fragments_is_refused(folder):
    """It is not opened, because a pipe without a writer would block."""
    os.mkfifo(folder / "robots.d" / "blog.txt")
    result = comity()

    assert result.exit_code == 2
    assert result.stderr == "Error: robots.d/blog.txt: cannot be read: not a regular file\n"


@posix_only("named pipes")
@pytest.mark.parametrize(
    ("name", "arguments"), [("robots.toml", []), ("robots.txt", ["--check"]), ("robots.txt", ["--output"])]
)
def test_pipe_with_the_name_of_a_file_is_refused(folder, name, arguments):
    """The plan and the output have their names by default; a pipe without a writer would block."""
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    result = comity(*arguments, *(["robots.txt"] if arguments == ["--output"] else []))

    assert result.exit_code == 2
    assert result.stderr == f"Error: {name}: cannot be read: not a regular file\n"


@posix_only("named pipes")
def test_pipe_that_the_user_names_is_read(folder):
    os.mkfifo(folder / "plan")
    writer = Thread(target=(folder / "plan").write_text, args=('close = "/a"\n', "utf-8"))
    writer.start()
    result = comity("plan")
    writer.join()

    assert result.exit_code == 0
    assert "Disallow: /a\n" in result.stdout


def test_only_some_problems_of_a_kind_are_printed(folder):
    bad = [f"Disallow: /cart/{number}" for number in range(10_000)]
    (folder / "robots.d" / "shop.txt").write_text(
        "\n".join(["User-agent: *", *bad, "Disalow: /shop/"]), "utf-8"
    )
    result = comity()
    *shown, other, last = result.stderr.splitlines()

    assert result.exit_code == 2
    assert len(shown) == 20
    assert all("reaches outside of its folders" in line for line in shown)
    assert other.startswith("Error: robots.d/shop.txt:10002:1: ")
    assert last == "Error: 9,980 more like the one at robots.d/shop.txt:2:1"


def test_kinds_of_problems_are_limited(folder):
    (folder / "robots.toml").write_text(
        "".join(f"key{'abcdefghij'[n % 10]}{'x' * n} = 1\n" for n in range(300)), "utf-8"
    )
    result = comity()

    assert len(result.stderr.splitlines()) == 201
    assert result.stderr.splitlines()[-1] == "Error: 100 more of other kinds"


def test_problems_in_json_have_a_limit(folder):
    bad = "Disallow: /cart/\n" * 10_010
    (folder / "robots.d" / "shop.txt").write_text(f"User-agent: *\n{bad}", "utf-8")
    record = json.loads(comity("--json").stdout)

    assert len(record["problems"]) == 10_000
    assert record["omitted"] == 10


HOSTS = """\
close = "/tmp/"
block = ["Zzyzx"]
[hosts."www.example.com"]
[hosts."shop.example.com"]
close = "/cart/"
block = ["Yyzzx"]
"""


def test_each_host_has_its_file(folder):
    (folder / "robots.toml").write_bytes(HOSTS.encode())
    (folder / "robots.d" / "shop.txt").write_bytes(b"# comity: hosts shop.example.com\n" + SHOP.encode())
    result = comity("--output", "public")

    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "Note: robots.toml: block[0]: Zzyzx is not a known agent or purpose, so it is used as the name of a robot "
        "(1 more of unknown-agent; --verbose prints them)",
        f"{Path('public/www.example.com/robots.txt')} was written",
        f"{Path('public/shop.example.com/robots.txt')} was written",
    ]
    shop = folder / "public" / "shop.example.com" / "robots.txt"
    assert shop.read_bytes().endswith(
        b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /cart/\nDisallow: /tmp/\n"
    )
    assert comity("--host", "SHOP.example.com").stdout_bytes == shop.read_bytes()
    assert comity("--check", "--output", "public").exit_code == 0
    shop.write_bytes(b"User-agent: *\n")
    result = comity("--check", "--output", "public")
    assert result.exit_code == 1
    assert f"{Path('public/shop.example.com/robots.txt')} differs from the result" in result.stderr
    record = json.loads(comity("--json").stdout)
    assert list(record["hosts"]) == ["www.example.com", "shop.example.com"]
    assert record["hosts"]["shop.example.com"]["host"] == "shop.example.com"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Error: the plan has 2 hosts (www.example.com, shop.example.com); add --host NAME, or --output FOLDER"),
        (["--host", "no.example.com"], "Error: robots.toml: the plan has no host no.example.com; "),
        (["--output", "robots.toml"], "Error: robots.toml"),
    ],
)  # fmt: skip
def test_wrong_hosts_are_2(folder, arguments, message):
    (folder / "robots.toml").write_bytes(HOSTS.encode())
    result = comity(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr


def test_all_notes_are_printed_only_on_request(folder):
    names = [f"Unknown{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    (folder / "robots.toml").write_text(f"block = {names}\n", "utf-8")

    assert len(comity().stderr.splitlines()) == 1
    assert "(25 more of unknown-agent; --verbose prints them)" in comity().stderr
    assert len(comity("--verbose").stderr.splitlines()) == 26
    assert len(json.loads(comity("--json").stdout)["notes"]) == 26


def test_folder_that_a_plan_on_standard_input_does_not_name_is_an_error():
    result = comity("-", input=b'close = "/tmp/"')

    assert result.exit_code == 2
    assert "the plan does not name robots.d" in result.stderr
