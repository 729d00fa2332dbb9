"""The encyclopedia on robots.txt: examples, the Extended Standard, META tags and sections that are not indexed."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from dialect_answers import DIALECTS
from http_server import Server, answer

import comity
from comity.cli import main
from comity.testing import FakeClock, FakeSite

#: The examples of the article: file, robot, path, answer.
WELCOME = "User-agent: *\nDisallow:\n"
CLOSED = "User-agent: *\nDisallow: /\n"
FOLDERS = "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /images/\nDisallow: /tmp/\nDisallow: /private/\n"
ONE_ROBOT = "User-agent: BadBot\nDisallow: /private/\n"
COMMENTS = (
    "# A comment from the first character of a line\nUser-agent: * # every robot\nDisallow: / # stay away\n"
)

EXAMPLES = [
    (WELCOME, "visitor", "/x", True),
    (CLOSED, "visitor", "/x", False),
    (FOLDERS, "visitor", "/images/a.png", False),
    (FOLDERS, "visitor", "/private/", False),
    (FOLDERS, "visitor", "/imagesque", True),
    (ONE_ROBOT, "BadBot", "/private/x", False),
    (ONE_ROBOT, "visitor", "/private/x", True),
    (COMMENTS, "visitor", "/x", False),
]


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("text", "agent", "path", "answer"), EXAMPLES)
def test_examples_of_the_article(dialect, text, agent, path, answer, folder):
    (folder / "robots.txt").write_text(text, "utf-8")
    result = run("check", "--robots", "robots.txt", "--dialect", dialect, "--agent", agent, path)

    assert comity.parse(text, dialect=dialect).allowed(path, agent=agent) is answer
    assert result.exit_code == (0 if answer else 1)


def test_recipes_have_their_comments():
    plan = {"comment": "Every robot", "groups": {"agents": "*", "disallow": "/", "comment": "keep them out"}}

    assert (
        comity.build(plan).body.decode() == "# Every robot\n\n# keep them out\nUser-agent: *\nDisallow: /\n"
    )


@pytest.mark.parametrize("dialect", ["1994", "draft1996"])
def test_old_dialects_compare_plain_prefixes(dialect):
    robots = comity.parse("User-agent: *\nDisallow: /a*b$\n", dialect=dialect)

    assert robots.allowed("/axb", agent="visitor")
    assert not robots.allowed("/a*b$", agent="visitor")


@pytest.mark.parametrize("path", ["/admin/passwords/", "/backup.sql"])
def test_lint_warns_of_paths_that_tell_too_much(path):
    assert "C801" in {finding.code for finding in comity.lint(f"User-agent: *\nDisallow: {path}\n")}


def test_lint_warns_of_folders_without_a_slash():
    assert "C326" in {finding.code for finding in comity.lint("User-agent: *\nDisallow: /private\n")}


def test_lint_replaces_a_star_that_should_be_a_slash(folder):
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: *\n")

    assert "C313" in run("lint", "robots.txt").stdout
    assert comity.parse(b"User-agent: *\nDisallow: *\n", dialect="1994").allowed("/x", agent="visitor")


EXTENDED = b"User-agent: *\nDisallow: /downloads/\nRequest-rate: 1/5\nVisit-time: 0600-0845\n"


def test_request_rate_is_a_distance():
    assert (
        comity.parse(EXTENDED).rules_for("visitor").request_interval(datetime(2026, 11, 22, 7, tzinfo=UTC))
        == 5.0
    )


@pytest.mark.parametrize(("hour", "minute", "wait"), [(6, 0, 0), (8, 45, 0), (5, 59, 60), (0, 0, 6 * 3600)])
def test_visit_time_is_a_wait(hour, minute, wait):
    moment = datetime.fromisoformat(f"2026-11-22T{hour:02}:{minute:02}:00+00:00")

    assert comity.parse(EXTENDED).rules_for("visitor").visit_wait(moment) == wait


def test_owner_writes_the_extended_standard():
    plan = {
        "groups": [
            {"agents": ["*"], "disallow": "/downloads/", "request_rate": "1/5", "visit_time": "0600-0845"}
        ]
    }

    assert comity.build(plan).body == EXTENDED


@pytest.mark.parametrize(("content", "index", "follow"), [
    ("ALL", True, True),
    ("none", False, False),
    ("index", True, True),
    ("NoIndex", False, True),
    ("follow", True, True),
    ("NOFOLLOW", True, False),
    ("noindex,nofollow", False, False),
    ("INDEX, NOFOLLOW", True, False),
])  # fmt: skip
def test_meta_robots(content, index, follow):
    page = f'<html><head><meta name="robots" content="{content}" /></head></html>'.encode()
    directives = comity.page_directives(html=page, agent="visitor")

    assert (bool(directives.index), bool(directives.follow)) == (index, follow)


def test_noindex_disallows_the_use_search():
    routes = {
        "/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"),
        "/page": answer(200, b'<meta name="robots" content="noindex">', {"content-type": "text/html"}),
    }
    with Server(routes) as site:
        result = run("check", "--page", "--respect", "search", f"{site.origin}/page")

    assert result.exit_code == 1
    assert not comity.usage(
        "https://example.com/x", html=b'<meta name="robots" content="noindex">', agent="visitor"
    ).permits("search")


@pytest.mark.parametrize(("content", "name"), [("noimageindex", "image_index"), ("noarchive", "archive")])
def test_meta_for_images_and_archives(content, name):
    page = f'<meta name="robots" content="{content}">'.encode()

    assert not getattr(comity.page_directives(html=page, agent="visitor"), name)


@pytest.mark.parametrize("command", ["check", "fetch"])
def test_closed_images_and_copies_are_shown(command):
    page = b'<meta name="robots" content="noimageindex, noarchive">'
    routes = {"/robots.txt": answer(404), "/page": answer(200, page, {"content-type": "text/html"})}
    with Server(routes) as site:
        lines = run(command, "--page", f"{site.origin}/page").stdout.splitlines()

    for question, rule in [("image-index", "noimageindex"), ("archive", "noarchive")]:
        (line,) = [line for line in lines if line.startswith(f"{question} ")]
        assert line.split(maxsplit=2)[1:] == ["disallowed", f"`{rule}` (meta robots, line 1)"]


def test_page_is_checked_with_its_file():
    routes = {
        "/robots.txt": answer(200, b"User-agent: *\nDisallow: /x\n"),
        "/page": answer(200, b'<meta name="robots" content="noindex">', {"content-type": "text/html"}),
    }
    with Server(routes) as site:
        result = run("check", "--page", f"{site.origin}/page")

    assert "noindex" in result.stdout, result.output


def test_noindex_sections_are_listed():
    page = b"<p>open</p><NOINDEX><p>closed</p></NOINDEX><!--noindex--><p>closed</p><!--/noindex-->"

    assert [region.kind for region in comity.page_directives(html=page, agent="visitor").regions] == [
        "index",
        "index",
    ]


def test_sections_with_a_namespace_are_listed():
    page = b'<html xmlns:x="urn:x"><p>open</p><x:noindex><p>closed</p></x:noindex></html>'

    assert [region.kind for region in comity.page_directives(html=page, agent="visitor").regions] == ["index"]


def test_sections_are_shown_by_the_command():
    routes = {
        "/robots.txt": answer(404),
        "/page": answer(200, b"<p>open</p>\n<noindex>\nclosed</noindex>", {"content-type": "text/html"}),
    }
    with Server(routes) as site:
        result = run("check", "--page", "--regions", f"{site.origin}/page")

    assert result.exit_code == 0
    assert "2-3" in result.stdout


ACAP = (
    b"User-agent: *\nDisallow:\n\nACAP-crawler: *\nACAP-disallow-crawl: /closed/\nACAP-disallow-index: /x\n"
)


def test_acap_is_obeyed_on_request():
    routes = {"/robots.txt": answer(200, ACAP), "*": answer(200)}
    with Server(routes) as site:
        assert run("check", f"{site.origin}/closed/a").exit_code == 0
        assert run("check", "--acap", f"{site.origin}/closed/a").exit_code == 1
        assert run("check", "--acap", f"{site.origin}/open").exit_code == 0


def test_acap_permissions_are_statements():
    statements = comity.usage("https://example.com/x", robots=ACAP, agent="visitor", acap=True).statements

    assert [(one.category, one.place) for one in statements if one.category == "acap-index"] == [
        ("acap-index", 6)
    ]


def test_commands_show_what_a_file_asks():
    with Server({"/robots.txt": answer(200, EXTENDED)}) as site:
        shown = run("check", f"{site.origin}/a").stdout
        (record,) = map(json.loads, run("fetch", "--json", site.origin).stdout.splitlines())

    assert "Request-rate" in shown
    assert [(one["line"], one["value"]) for one in record["asks"]] == [(3, "1/5"), (4, "0600-0845")]


def test_message_names_the_page_and_the_end_of_the_wait():
    clock = FakeClock()
    clock.now = datetime(2026, 11, 22, 1, tzinfo=UTC).timestamp()
    site = FakeSite({"/page": "Tea."}, robots=EXTENDED.decode(), clock=clock)
    with (
        comity.Robot("ExampleBot/1.0", contact="bot@example.com", transport=site, clock=clock) as robot,
        pytest.raises(comity.MustWait, match=r"/page.*2026-11-22T06:00:00Z"),
    ):
        robot.get("https://example.com/page")
