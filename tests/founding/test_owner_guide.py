"""The guide for owners of sites: the place of the file, its syntax, and its recipes."""

import json

import pytest
from build_notes import texts
from click.testing import CliRunner
from dialect_answers import DIALECTS, allowed
from http_server import Server, answer

import comity
from comity.cli import main
from comity.site.serve import ServedRequest, Site, Sites


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def findings(text):
    return {finding.code for finding in comity.lint(text)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("path", "answer"), [
    ("/cgi-bin/x", False), ("/tmp/x", False), ("/~joe/", False), ("/joe/", True), ("/~joey/", True),
])  # fmt: skip
def test_usual_record(dialect, path, answer):
    text = "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\nDisallow: /~joe/\n"

    assert allowed(text, "visitor", path, dialect) is answer


def test_each_prefix_has_a_line_of_its_own(folder):
    text = "User-agent: *\nDisallow: /cgi-bin/ /tmp/\n"
    (folder / "robots.txt").write_text(text, "utf-8")

    assert allowed(text, "visitor", "/tmp/x")
    assert "C306" in findings(text)
    assert run("lint", "--fix", "--unsafe-fixes", "robots.txt").exit_code == 0
    assert (folder / "robots.txt").read_text(
        "utf-8"
    ) == "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_agents_are_no_patterns(dialect):
    text = "User-agent: *bot*\nDisallow: /\n"

    assert allowed(text, "examplebot", "/x", dialect)
    assert "C212" in findings(text)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_not_disallowed_is_open(dialect):
    text = "User-agent: *\nDisallow: /tmp/\n"

    assert [allowed(text, "visitor", path, dialect) for path in ("/", "/tmp", "/index.html")] == [True] * 3


#: The recipes: a plan, what robots get, and the file that `comity build` writes.
RECIPES = [
    ({"keep_out": True}, [("visitor", "/x", False), ("AdsBot-Google", "/x", False)]),
    ({}, [("visitor", "/x", True)]),
    ({"close": ["/cgi-bin/", "/tmp/", "/junk/"]}, [("visitor", "/tmp/x", False), ("visitor", "/x", True)]),
    ({"block": ["BadBot"]}, [("BadBot/1.0", "/x", False), ("visitor", "/x", True)]),
    ({"keep_out": True, "let_in": ["Googlebot"]}, [("Googlebot", "/x", True), ("visitor", "/x", False)]),
    ({"close": ["/~joe/stuff/"]}, [("visitor", "/~joe/stuff/a", False), ("visitor", "/~joe/b", True)]),
    (
        {"close": ["/~joe/junk.html", "/~joe/foo.html", "/~joe/bar.html"]},
        [("visitor", "/~joe/junk.html", False), ("visitor", "/~joe/index.html", True)],
    ),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("plan", "answers"), RECIPES)
def test_recipes(plan, answers, dialect):
    body = comity.build(plan).body

    assert [(agent, path, allowed(body, agent, path, dialect)) for agent, path, _ in answers] == answers


def test_robots_that_do_not_obey_are_known(folder):
    """The database says which robots do not obey; a file cannot stop those."""
    notes = texts(comity.build({"block": ["Perplexity-User"]}))
    (known,) = map(json.loads, run("agents", "--json", "Perplexity-User").stdout.splitlines())

    assert known["obeys"] == "no"
    assert any("Perplexity-User" in note for note in map(str, notes))


def test_why_did_this_robot_come(folder):
    (folder / "robots.txt").write_bytes(
        b"User-agent: *\nDisallow: /x\n\nUser-agent: ExampleBot\nDisallow: /y\n"
    )
    result = run("check", "--robots", "robots.txt", "--agent", "ExampleBot/1.0", "--explain", "/x")

    assert result.exit_code == 0
    assert "ExampleBot" in result.stdout


def test_owner_can_create_the_file(folder):
    (folder / "robots.toml").write_bytes(b'close = ["/tmp/"]\n')

    assert run("build", "--output", "robots.txt").exit_code == 0
    assert run("fmt", "--check", "robots.txt").exit_code == 0
    assert run("lint", "robots.txt").exit_code == 0
    assert run("minimize", "robots.txt").stdout == "User-agent: *\nDisallow: /tmp/\n"


def test_file_below_a_path_is_not_served():
    """On a shared host, only the owner of the top has a file."""
    site = Site(b"User-agent: *\nDisallow: /x\n", environment="production")

    assert site.answer(ServedRequest("GET", b"/~joe/robots.txt", b"", ())) is None


@pytest.mark.parametrize(("host", "body"), [
    ("tea.example", b"User-agent: *\nDisallow: /tea/\n"),
    ("Coffee.example:8080", b"User-agent: *\nDisallow: /coffee/\n"),
])  # fmt: skip
def test_virtual_host_has_its_own_file(host, body):
    sites = Sites({
        "tea.example": Site("User-agent: *\nDisallow: /tea/\n", environment="production"),
        "coffee.example": Site("User-agent: *\nDisallow: /coffee/\n", environment="production"),
    })  # fmt: skip

    assert sites.answer(ServedRequest("GET", b"/robots.txt", b"", (), host=host)).body == body


def test_blank_line_in_a_record_is_reported_on_request(folder):
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n")

    assert "C205" in run("lint", "--select", "C205", "robots.txt").stdout
    assert "C205" not in run("lint", "robots.txt").stdout


def test_plan_without_keys_does_not_open_a_site(folder):
    (folder / "robots.toml").write_bytes(b"")
    assert run("build").exit_code == 2

    (folder / "robots.toml").write_bytes(b"keep_out = false\n")
    assert (run("build").exit_code, run("build").stdout) == (0, "User-agent: *\nDisallow:\n")


def test_site_checks_its_own_file(folder):
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisalow: /x\n")
    with Server({"/robots.txt": answer(200, b"User-agent: *\nDisalow: /x\n")}) as site:
        found = run("lint", f"{site.origin}/shop/").stdout

    assert "misspelt-field" in found
    assert "misspelt-field" in run("lint", "robots.txt").stdout


def test_name_with_capitals_is_reported(folder):
    (folder / "Robots.TXT").write_bytes(b"User-agent: *\nDisallow: /x\n")

    assert "robots.txt" in run("lint", "Robots.TXT").stderr


def test_old_name_of_a_robot_is_reported(folder):
    text = "User-agent: Google\nDisallow:\n\nUser-agent: *\nDisallow: /\n"
    (folder / "robots.txt").write_text(text, "utf-8")

    assert "Googlebot" in run("lint", "robots.txt").stdout
    assert "Googlebot" in run("agents", "Google").output
    with pytest.raises(comity.errors.InvalidPlan, match="Googlebot"):
        comity.build({"keep_out": True, "let_in": "Google"})


def test_database_describes_a_robot():
    shown = run("agents", "Googlebot").stdout

    for fact in ("Google", "obeys", "Mozilla/5.0", "googlebot.com"):
        assert fact in shown
