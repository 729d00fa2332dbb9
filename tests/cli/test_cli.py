"""`comity check` and `comity demo`, run as a user runs them."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner

from comity.cli import main

RECIPES = Path(__file__).parents[2] / "src/comity/examples/recipes.txt"


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["check", *arguments], **options)


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(
        b"User-agent: *\nDisallow: /private/\nAllow: /private/open\n\nUser-agent: A\nDisallow: /a\n"
    )
    return str(path)


def test_allowed_is_0(robots):
    result = comity("/public", "--robots", robots)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "         URL      line  rule  reason",
        "allowed  /public              no-rule-matches",
    ]


def test_disallowed_is_1(robots):
    result = comity("https://example.com/private/x", "/private/open", "--robots", robots)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "disallowed  https://example.com/private/x  2     Disallow: /private/   longest-match",
        "allowed     /private/open                  3     Allow: /private/open  longest-match",
        "1 allowed, 1 disallowed",
    ]


def test_explain(robots):
    result = comity(
        "/private/open", "--robots", robots, "--explain", "--agent", "Mozilla/5.0 (compatible; B/1)"
    )

    assert result.stdout.splitlines() == [
        "allowed  /private/open for B",
        "    line 3 `Allow: /private/open` (group *, lines 1-3, since none names B) is the longest match, "
        "13 octets; it overrules line 2 `Disallow: /private/`",
    ]


def test_several_robots(robots):
    result = comity("/a", "--robots", robots, "--agent", "A", "--agent", "B", "--agent", "C,A")

    assert [line.split()[:3] for line in result.stdout.splitlines()[1:4]] == [
        ["disallowed", "/a", "A"],
        ["allowed", "/a", "B"],
        ["disallowed", "/a", "A"],
    ]
    assert result.exit_code == 1


def test_a_header_may_have_commas(robots):
    header = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; A/1.2; +https://example.com/a)"
    result = comity("/a", "--robots", robots, "--agent", header, "--explain")

    assert result.stdout.startswith("disallowed  /a for A\n")


def test_json(robots):
    result = comity("/private/open", "/é", "--robots", robots, "--json", "--agent", "B")
    first, second = map(json.loads, result.stdout.splitlines())

    assert first["explanation"].startswith("line 3 `Allow: /private/open`")
    del first["explanation"]
    assert first == {
        "url": "/private/open",
        "agent": "B",
        "allowed": True,
        "reason": "longest-match",
        "line": 3,
        "rule": "Allow: /private/open",
        "matched": "*",
        "group": {"agents": ["*"], "line": 1, "end_line": 3},
        "octets": 13,
        "overruled": [{"line": 2, "rule": "Disallow: /private/"}],
    }
    assert (second["url"], second["line"], second["rule"]) == ("/é", None, None)


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_dialects(robots, dialect):
    result = comity("/private/open", "--robots", robots, "--dialect", dialect)

    assert result.exit_code == (0 if dialect in ("rfc9309", "google") else 1)


def test_robots_from_standard_input():
    assert comity("/x", "--robots", "-", input=b"User-agent: *\nDisallow: /x").exit_code == 1


@pytest.mark.parametrize("where", [["-"], ["--urls", "-"]])
def test_urls_from_standard_input(robots, where):
    result = comity(*where, "--robots", robots, "--json", input="/a\r\n\r\n  https://example.com/private/ \n")

    assert [json.loads(line)["url"] for line in result.stdout.splitlines()] == [
        "/a",
        "https://example.com/private/",
    ]
    assert result.exit_code == 1


def test_urls_from_a_file(robots, tmp_path):
    (tmp_path / "urls").write_bytes(b"/a\n/caf\xe9\nexample.com/x\nmailto:me\n/b")
    result = comity("--urls", str(tmp_path / "urls"), "--robots", robots)

    assert result.exit_code == 2
    assert "3 allowed, 2 invalid" in result.stdout
    assert "urls:3:1: example.com/x: not a URL or path; write https://example.com/x" in (result.stderr)
    assert "urls:4:1: " in result.stderr


def test_many_urls_are_printed_in_bounded_pieces(robots):
    result = comity("-", "--robots", robots, input="\n".join(f"/{n}" for n in range(2500)))

    assert result.stdout.splitlines()[-1] == "2,500 allowed"
    assert sum("reason" in line for line in result.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["/a"], "name a file with --robots"),
        (["/a", "--robots", "a", "--robots", "b"], "--robots: 2 files given; name one"),
        (
            ["/a", "--robots", "https://example.com/robots.txt"],
            "leave --robots out to read the robots.txt of each URL's site",
        ),
        (["/a", "--robots", str(RECIPES), "--agent", ""], "--agent '': a name is empty"),
        (["/a", "--robots", str(RECIPES), "--agent", "A,"], "--agent 'A,': a name is empty"),
        (["", "--robots", str(RECIPES)], "'': not a URL or path; write"),
        (["?q", "--robots", str(RECIPES)], "'?q': not a URL or path; write"),
        (["--urls", os.devnull, "--robots", str(RECIPES)], f"{os.devnull}: no URL found"),
        (["--robots", str(RECIPES)], "no URL to check"),
        (["-", "--robots", "-"], "-: standard input can be read once"),
        (
            ["/a", "--robots", "/no/such/file"],
            "Error: /no/such/file: cannot be read: No such file or directory",
        ),
        (["/a", "--robots", "/"], "Error: /: cannot be read: Is a directory"),
        (
            ["--urls", "/no/such", "--robots", str(RECIPES)],
            "Error: /no/such: cannot be read: No such file or directory",
        ),
        (["/a", "--robots", str(RECIPES), "--dialect", "bing"], "'bing' is not one of"),
        (
            ["shop/a", "--robots", str(RECIPES)],
            "shop/a: not a URL or path; write /shop/a",
        ),
        (["mailto:a@b", "--robots", str(RECIPES)], "has a scheme and no host"),
    ],
)
def test_wrong_usage_is_2_and_says_so(arguments, says):
    result = comity(*arguments)

    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_what_a_file_says_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /\x1b]0;owned\x07[red]\xff")
    for option in ([], ["--explain"], ["--json"]):
        result = comity("/\x1b]0;owned\x07[red]%FF", "/\x1b[31m", "--robots", str(path), *option)
        assert "\x1b" not in result.stdout
        assert "\x07" not in result.stdout
        assert result.exit_code == 1


def test_demo_shows_every_example(monkeypatch):
    for name in ("_show_site", "_crawl"):  # which test_cli_live.py runs
        monkeypatch.setattr(f"comity.cli.commands.demo.{name}", lambda: None)
    result = CliRunner().invoke(main, ["demo"])

    assert result.exit_code == 0, result.output
    assert result.stdout.count("$ comity check --robots") == 6
    for path in RECIPES.parent.glob("*.txt"):
        assert path.read_text().strip() in result.stdout


def test_help_names_every_command():
    result = CliRunner().invoke(main, ["--help"])

    assert [
        line.split()[0] for line in result.stdout.partition("Commands:")[2].splitlines() if line.strip()
    ] == [
        "agents",
        "build",
        "check",
        "crawl",
        "demo",
        "diff",
        "fetch",
        "fmt",
        "lint",
        "minimize",
    ]


def test_urls_from_several_files(robots, tmp_path):
    (tmp_path / "one").write_bytes(b"\xef\xbb\xbf/private/x\n")
    (tmp_path / "two").write_text("/a")
    result = comity(
        "/b", "--urls", str(tmp_path / "one"), "--urls", str(tmp_path / "two"), "--robots", robots
    )

    assert result.exit_code == 1
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:4]] == [
        ["allowed", "/b"],
        ["disallowed", "/private/x"],
        ["allowed", "/a"],
    ]


def test_an_invalid_url_is_answered_for_each_robot(robots):
    result = comity("foo", "--robots", robots, "--agent", "A", "--agent", "B", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]

    assert [(row["agent"], row["allowed"], "not a URL or path" in row["error"]) for row in rows] == [
        ("A", None, True),
        ("B", None, True),
    ]
    assert result.stderr.count("Error") == 1


def test_octets_in_json_are_percent_encoded(robots, tmp_path):
    (tmp_path / "urls").write_bytes(b"/caf\xe9")
    result = comity("--urls", str(tmp_path / "urls"), "--robots", robots, "--json")

    assert json.loads(result.stdout)["url"] == "/caf%E9"


def test_what_is_odd_in_the_file_is_told_beside_the_answers(tmp_path):
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisalow: /a\n" + "Foo: x\n" * 9)
    result = comity("/a", "--robots", str(tmp_path / "robots.txt"))

    assert "robots.txt:2:1: warning C401 misspelt-field: " in result.stderr
    assert "robots.txt: 5 more errors and warnings" in result.stderr
    assert "Disalow" not in result.stdout
    assert comity("/a", "--robots", str(tmp_path / "robots.txt"), "--json").stderr == ""


def test_urls_are_answered_as_they_come(robots):
    """A filter in a pipeline: the first answer is there before the second question."""
    command = [sys.executable, "-u", "-m", "comity", "check", "-", "--json", "--robots", robots]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        for url in ("/a", "/private/"):
            run.stdin.write(f"{url}\n")
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["url"] == url
        run.stdin.close()

    assert run.returncode == 1


def test_an_interruption_is_no_answer(robots):
    command = [sys.executable, "-m", "comity", "check", "-", "--json", "--robots", robots]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        run.stdin.write(b"/a\n")
        run.stdin.flush()
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        error = run.stderr.read()

    assert (run.returncode, error.strip()) == (130, b"interrupted")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_no_answer(robots):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "comity", "check", "/a", "--robots", robots]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)

    assert run.returncode == 2
    assert run.stderr == "Error: standard output: cannot be written: No space left on device\n"


def seen_in_a_terminal(command, stream, columns=80, variables=(), **options):
    """Run a command with one of its streams on a pseudo-terminal; give what the terminal shows."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "COLUMNS", "CI"):
        environment.pop(name, None)
    environment.update(variables)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: follower}
    shown = b""
    with subprocess.Popen(command, env=environment, **streams, **options):
        os.close(follower)
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:
            pass  # the last writer has closed it
    os.close(leader)
    return shown.decode()


def test_a_table_for_a_terminal_is_coloured_and_fitted(robots):
    command = [sys.executable, "-m", "comity", "check", "/private/" + "x" * 80, "--robots", robots]
    shown = seen_in_a_terminal(command, "stdout", columns=60)

    assert "\x1b[31mdisallowed" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(map(len, plain.splitlines())) <= 60


@pytest.mark.parametrize(
    ("words", "coloured"),
    [
        (["agents", "GPTBot"], "\x1b[3"),
        (["check", "/private/x", "--robots", "robots.txt"], "\x1b[31m"),
        (["check", "/private/x", "--robots", "robots.txt", "--explain"], "\x1b[31m"),
        (["diff", os.devnull, "robots.txt"], "\x1b[31m"),
        (["lint", "odd.txt"], "\x1b[3"),
    ],
)
def test_no_color(words, coloured, robots, tmp_path):
    """https://no-color.org: a variable that is set and not empty."""
    (tmp_path / "odd.txt").write_text("Disallow: /\nUser-agent: *\n")
    command = [sys.executable, "-m", "comity", *words]
    shown = [
        seen_in_a_terminal(command, "stdout", cwd=tmp_path, variables=variables)
        for variables in ({}, {"NO_COLOR": ""}, {"NO_COLOR": "1"})
    ]

    assert coloured in shown[0]
    assert shown[1] == shown[0]
    assert re.findall(r"\x1b\[[0-9;]*3[0-7][0-9;]*m", shown[2]) == []
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown[0]) == re.sub(r"\x1b\[[0-9;]*m", "", shown[2])


def test_no_color_holds_for_what_the_demonstration_runs(monkeypatch):
    for name in ("_show_site", "_crawl"):
        monkeypatch.setattr(f"comity.cli.commands.demo.{name}", lambda: None)
    shown = [
        CliRunner(env={"NO_COLOR": value}).invoke(main, ["demo"], color=True).stdout for value in ("", "1")
    ]

    assert "\x1b[3" in shown[0]
    assert re.findall(r"\x1b\[[0-9;]*3[0-7][0-9;]*m", shown[1]) == []


def test_a_large_file_shows_its_progress(robots, tmp_path):
    (tmp_path / "urls").write_text(f"https://example.com/{'a/rather/long/path/' * 25}\n" * 9_000)
    command = [sys.executable, "-m", "comity", "check", "--urls", "urls", "--json", "--robots", robots]

    assert "checking" in seen_in_a_terminal(command, "stderr", cwd=tmp_path)


def test_without_its_extra_the_command_line_says_what_to_install(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('No module named click', name='click')")
    run = subprocess.run(
        [sys.executable, "-m", "comity", "check"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )

    assert run.returncode == 2
    assert run.stderr == "comity: the command line needs click; install the extra `cli`\n"


def test_a_closed_pipe_is_no_traceback(robots, tmp_path):
    (tmp_path / "urls").write_text("/a\n" * 50_000)
    command = (
        f"{sys.executable} -m comity check --urls {tmp_path / 'urls'} --robots {robots} --json | head -n 1"
    )
    run = subprocess.run(command, shell=True, capture_output=True, text=True)

    assert run.stdout.count("\n") == 1
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ex ample:80/p", "'ex ample:80/p': not a URL or path"),
        ("example.com:80/p", "example.com:80/p: not a URL or path; write https://example.com:80/p"),
        ("foo?x:y", "'foo?x:y': not a URL or path"),
    ],
)
def test_what_only_looks_like_a_url_is_refused(robots, url, says):
    result = comity(url, "--robots", robots)

    assert result.exit_code == 2
    assert says in result.stderr
