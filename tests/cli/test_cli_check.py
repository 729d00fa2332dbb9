"""`comity check` with a robots.txt file, run as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from platforms import DIRECTORY_ERROR

from comity.cli import main
from comity.protocol.robotstxt.document import parse
from comity.protocol.robotstxt.engine.verdict import Verdict

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


def test_allowed_url_exits_with_0(robots):
    result = comity("/public", "--robots", robots)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "         URL      line  rule  reason",
        "allowed  /public              no-rule-matches",
    ]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
@pytest.mark.parametrize(
    "path", ["/a/%2e%2e/private/x", "/%2E/private/x", "/a/.%2e/private/x", "/a/../private/x"]
)
@pytest.mark.parametrize("site", ["", "https://example.com"])
def test_dot_segments_are_removed_before_judging(robots, dialect, path, site):
    assert comity(site + path, "--robots", robots, "--dialect", dialect).exit_code == 1
    assert comity(site + "/private/%2e%2e/a", "--robots", robots, "--dialect", dialect).exit_code == 0
    assert comity(site + "/a/%252e%252e/private/x", "--robots", robots, "--dialect", dialect).exit_code == 0


def test_disallowed_url_exits_with_1(robots):
    result = comity("https://example.com/private/x", "/private/open", "--robots", robots)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "disallowed  https://example.com/private/x  2     Disallow: /private/   longest-match",
        "allowed     /private/open                  3     Allow: /private/open  longest-match",
        "1 allowed, 1 disallowed",
    ]


def test_explain_prints_a_sentence_per_answer(robots):
    result = comity(
        "/private/open", "--robots", robots, "--explain", "--agent", "Mozilla/5.0 (compatible; B/1)"
    )

    assert result.stdout.splitlines() == [
        "allowed  /private/open for B",
        "    line 3 `Allow: /private/open` (group *, lines 1-3, because no group names B) is the longest match, "
        "with a path of 13 octets; it overrules line 2 `Disallow: /private/`",
    ]


def test_table_has_a_row_per_robot(robots):
    result = comity("/a", "--robots", robots, "--agent", "A", "--agent", "B", "--agent", "C,A")

    assert [line.split()[:3] for line in result.stdout.splitlines()[1:4]] == [
        ["disallowed", "/a", "A"],
        ["allowed", "/a", "B"],
        ["disallowed", "/a", "C,A"],
    ]
    assert result.exit_code == 1


def test_header_with_commas_is_one_agent(robots):
    header = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; A/1.2; +https://example.com/a)"
    result = comity("/a", "--robots", robots, "--agent", header, "--explain")

    assert result.stdout.startswith("disallowed  /a for A\n")


def test_json_has_the_attributes_of_the_verdict(robots):
    result = comity("/private/open", "/é", "--robots", robots, "--json", "--agent", "B")
    first, second = map(json.loads, result.stdout.splitlines())

    assert first["explanation"].startswith("line 3 `Allow: /private/open`")
    verdict = parse(Path(robots).read_bytes()).check("/private/open", agent="B")
    record = verdict.record()
    assert record.pop("assumptions") == []  # in the output only if there are any
    assert first == {"url": "/private/open", **record, "explanation": verdict.explain()}
    assert first["rule"] == {"allow": True, "pattern": "/private/open", "line": 3}
    assert (second["url"], second["line"], second["rule"]) == ("/é", None, None)
    assert first.keys() - {"url", "explanation"} <= {
        name for name in dir(Verdict) if not name.startswith("_")
    }


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "draft1996", "1994"])
def test_dialect_decides(robots, dialect):
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


def test_invalid_urls_in_a_file_are_located(robots, tmp_path):
    (tmp_path / "urls").write_bytes(b"/a\n/caf\xe9\nexample.com/x\nmailto:me\n/b")
    result = comity("--urls", str(tmp_path / "urls"), "--robots", robots)

    assert result.exit_code == 2
    assert "3 allowed, 2 invalid" in result.stdout
    assert "urls:3:1: example.com/x: not a URL or path; write https://example.com/x" in (result.stderr)
    assert "urls:4:1: " in result.stderr


def test_many_urls_are_printed_as_several_tables(robots):
    result = comity("-", "--robots", robots, input="\n".join(f"/{n}" for n in range(2500)))

    assert result.stdout.splitlines()[-1] == "2,500 allowed"
    assert sum("reason" in line for line in result.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
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
        (["a" * 5000, "--robots", str(RECIPES)], f"{'a' * 197}...: not a URL or path; write /aaa"),
        (["?q", "--robots", str(RECIPES)], "'?q': not a URL or path; write"),
        (["--urls", os.devnull, "--robots", str(RECIPES)], f"{os.devnull}: no URL found"),
        (["--robots", str(RECIPES)], "no URL to check"),
        (["-", "--robots", "-"], "-: standard input can be read once"),
        (
            ["/a", "--robots", "/no/such/file"],
            "Error: /no/such/file: cannot be read: No such file or directory",
        ),
        (["/a", "--robots", "/"], f"Error: /: cannot be read: {DIRECTORY_ERROR}"),
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
        (["tea.html", "--robots", str(RECIPES)], "write https://tea.html, or /tea.html for a path"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, message):
    result = comity(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_file_instead_of_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots.txt").touch()
    result = comity("robots.txt")

    assert result.exit_code == 2
    assert "write --robots robots.txt if it is a robots.txt, or --urls robots.txt" in result.stderr


def test_control_characters_are_escaped(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /\x1b]0;owned\x07[red]\xff")
    for option in ([], ["--explain"], ["--json"]):
        result = comity("/\x1b]0;owned\x07[red]%FF", "/\x1b[31m", "--robots", str(path), *option)
        assert "\x1b" not in result.stdout
        assert "\x07" not in result.stdout
        assert result.exit_code == 1


def test_urls_from_several_files(robots, tmp_path):
    (tmp_path / "one").write_bytes(b"\xef\xbb\xbf/private/x\n")
    (tmp_path / "two").write_bytes(b"/a")
    result = comity(
        "/b", "--urls", str(tmp_path / "one"), "--urls", str(tmp_path / "two"), "--robots", robots
    )

    assert result.exit_code == 1
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:4]] == [
        ["allowed", "/b"],
        ["disallowed", "/private/x"],
        ["allowed", "/a"],
    ]


LONG = "A" * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        f"User-agent: {LONG}\nDisallow: /x\n",
        f"User-agent: *\nDisallow: /x{'*' * 1_000_000}\n",
        "User-agent: *\n" + "User-agent: b\n" * 10_000 + "Disallow: /x\n",
        "User-agent: *\n" + "".join(f"Disallow: /x{'*' * number}\n" for number in range(500)),
    ],
    ids=["name", "pattern", "names", "rules"],
)
def test_answer_about_a_file_with_long_texts_is_short(text, tmp_path):
    """A file may not make each of many answers as long as itself."""
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    words = ["/xx", "--robots", str(tmp_path / "long.txt"), "--agent", LONG]
    record = json.loads(comity(*words, "--json").stdout)

    assert (record["allowed"], record["line"] is not None) == (False, True)
    assert len(json.dumps(record)) < 120_000
    assert len(comity(*words).stdout) < 2000
    assert len(comity(*words, "--explain").stdout) < 2000


def test_invalid_url_has_a_json_answer_per_robot(robots):
    result = comity("foo", "--robots", robots, "--agent", "A", "--agent", "B", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]

    assert [(row["agent"], row["allowed"], "not a URL or path" in row["error"]) for row in rows] == [
        ("A", None, True),
        ("B", None, True),
    ]
    assert result.stderr.count("Error") == 1


def test_invalid_utf8_is_percent_encoded_in_json(robots, tmp_path):
    (tmp_path / "urls").write_bytes(b"/caf\xe9")
    result = comity("--urls", str(tmp_path / "urls"), "--robots", robots, "--json")

    assert json.loads(result.stdout)["url"] == "/caf%E9"


def test_diagnostics_go_to_standard_error(tmp_path):
    (tmp_path / "robots.txt").write_bytes(("User-agent: *\nDisalow: /a\n" + "Foo: x\n" * 9).encode())
    result = comity("/a", "--robots", str(tmp_path / "robots.txt"))

    assert "robots.txt:2:1: warning C401 misspelt-field: " in result.stderr
    assert "robots.txt: 5 more errors and warnings" in result.stderr
    assert "Disalow" not in result.stdout
    assert comity("/a", "--robots", str(tmp_path / "robots.txt"), "--json").stderr == ""


def test_answers_are_streamed(robots):
    """In a pipeline, each answer is printed before the next URL is read."""
    command = [sys.executable, "-u", "-m", "comity", "check", "-", "--json", "--robots", robots]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as run:
        for url in ("/a", "/private/"):
            run.stdin.write(f"{url}\n")
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["url"] == url
        run.stdin.close()

    assert run.returncode == 1


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ex ample:80/p", "'ex ample:80/p': not a URL or path"),
        ("example.com:80/p", "example.com:80/p: not a URL or path; write https://example.com:80/p"),
        ("foo?x:y", "'foo?x:y': not a URL or path"),
    ],
)
def test_ambiguous_url_is_rejected(robots, url, message):
    result = comity(url, "--robots", robots)

    assert result.exit_code == 2
    assert message in result.stderr


def test_names_of_known_robots_are_not_reported(tmp_path):
    (tmp_path / "robots.txt").write_text(
        "User-agent: Kangaroo Bot\nUser-agent: Example Bot\nDisallow: /\n", encoding="utf-8"
    )
    result = comity("/a", "--agent", "A", "--robots", str(tmp_path / "robots.txt"))

    assert "Example Bot" in result.stderr
    assert "Kangaroo" not in result.stderr


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("localhost:8000/cart", "http"),
        ("127.0.0.1/cart", "http"),
        ("example.com/cart", "https"),
        ("example.com:8000/cart", "https"),
    ],
)
def test_host_without_scheme_has_a_hint_if_a_file_is_asked(robots, url, scheme):
    result = comity(url, "--robots", robots)

    assert result.exit_code == 2
    assert f"{url}: not a URL or path; write {scheme}://{url}, or /{url} for a path" in result.output


@pytest.mark.parametrize(
    "url", ["shop", "robots.txt", "example.com:x/cart", "bot@example.com", "1.5", "a..b"]
)
def test_text_that_is_not_a_host_gets_no_scheme(url):
    result = CliRunner().invoke(main, ["check", url])

    assert result.exit_code == 2
    assert "not a URL or path" in result.output
    assert "read as" not in result.output


def test_csv_of_a_csv_list(robots, tmp_path):
    (tmp_path / "urls.csv").write_text(
        "id,url\n1,/a\n2,https://example.com/private/x\n3,no url\n", encoding="utf-8"
    )
    result = comity("--robots", robots, "--urls", str(tmp_path / "urls.csv"), "--column", "url", "--csv")

    assert result.exit_code == 2
    assert result.stdout.splitlines()[:3] == [
        "url,agent,answer,line,rule,reason,error",
        "/a,*,allowed,,,no-rule-matches,",
        "https://example.com/private/x,*,disallowed,2,Disallow: /private/,longest-match,",
    ]
    assert result.stdout.splitlines()[3].startswith("no url,*,error,,,invalid,")
    assert "urls.csv:4: " in result.stderr


@pytest.mark.parametrize("option", ["--json", "--explain", "--page"])
def test_csv_is_one_output(robots, option):
    result = comity("/a", "--csv", option, *([] if option == "--page" else ["--robots", robots]))

    assert result.exit_code == 2


def test_twenty_errors_of_a_kind_are_printed(robots):
    result = comity("--robots", robots, "--urls", "-", input="no url\n" * 30 + "/a\n")

    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 21
    assert result.stderr.splitlines()[-1] == "Error: 10 more like the one at standard input:1:1"
    assert result.stdout.splitlines()[-1] == "1 allowed, 30 invalid"


def test_sitemap_of_urls(robots, tmp_path):
    (tmp_path / "s.xml").write_bytes(b"<urlset><url><loc>https://example.com/private/x</loc></url></urlset>")
    result = comity("--robots", robots, "--urls", str(tmp_path / "s.xml"))

    assert result.exit_code == 1
    assert "Disallow: /private/" in result.stdout
