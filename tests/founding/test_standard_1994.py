"""The statements of "A Standard for Robot Exclusion" (1994) on the format of robots.txt, and its examples."""

import pytest
from click.testing import CliRunner
from dialect_answers import DIALECTS, allowed
from http_server import Server, answer

import comity
from comity.cli import main

#: The dialects in which a blank line ends a record, as in 1994.
OLD_DIALECTS = ("draft1996", "1994")


def findings(text):
    """Return the codes that lint reports with its default rules."""
    return {finding.code for finding in comity.lint(text)}


@pytest.mark.parametrize("dialect", OLD_DIALECTS)
def test_blank_lines_separate_records(dialect):
    text = "User-agent: a\nDisallow: /a\n\n\nUser-agent: b\nDisallow: /b\n"

    assert [group.agents for group in comity.parse(text, dialect=dialect).groups] == [("a",), ("b",)]
    # A rule after a blank line belongs to no record.
    assert allowed("User-agent: a\n\nDisallow: /a\n", "a", "/a", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_lines_end_by_cr_lf_or_both(dialect, end):
    text = end.join(["User-agent: a", "Disallow: /x", "", "User-agent: *", "Disallow: /", ""])

    assert not allowed(text, "a", "/x", dialect)
    assert allowed(text, "a", "/y", dialect)
    assert not allowed(text, "b", "/y", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("line", ["Disallow:/x", "Disallow: /x", "Disallow:\t /x  \t", "Disallow:     /x"])
def test_space_around_the_value_is_optional(dialect, line):
    assert not allowed(f"User-agent:*\n{line}\n", "a", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_field_names_are_case_insensitive(dialect):
    assert not allowed("USER-AGENT: *\ndISALLOW: /x\n", "a", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_comment_discards_the_space_before_it(dialect):
    text = "User-agent: *   # every robot\nDisallow: /x \t# not yet\n"

    assert not allowed(text, "a", "/x1", dialect)
    assert allowed(text, "a", "/y", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_comment_line_does_not_end_a_record(dialect):
    assert not allowed("User-agent: a\n# a comment\n  # and another\nDisallow: /x\n", "a", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_record_is_agents_and_then_rules(dialect):
    text = "User-agent: a\nDisallow: /x\nDisallow: /y\n"
    (group,) = comity.parse(text, dialect=dialect).groups

    assert (group.agents, [rule.pattern for rule in group.rules]) == (("a",), ["/x", "/y"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_unknown_fields_are_ignored(dialect):
    text = "User-agent: *\nDisallow: /x\nFoo: bar\nDisallow: /y\n"

    assert not allowed(text, "a", "/x", dialect)
    assert not allowed(text, "a", "/y", dialect)
    assert [(one.line, one.name) for one in comity.parse(text).diagnostics] == [(3, "unknown-field")]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_agents_of_one_record_share_its_rules(dialect):
    text = "User-agent: alpha\nUser-agent: beta\nDisallow: /\n"

    assert [allowed(text, name, "/x", dialect) for name in ("alpha", "beta", "gamma")] == [False, False, True]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_rules_need_a_user_agent(dialect):
    text = "Disallow: /\n"

    assert allowed(text, "a", "/x", dialect)
    assert "C201" in findings(text)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("agent", "answer"), [
    ("CYBERMAPPER", False),
    ("cybermapper/1.0", False),
    ("CyberMapper/2.1 (+https://example.com/)", False),
    ("mapmaker", True),
])  # fmt: skip
def test_name_matches_in_any_case_and_without_its_version(dialect, agent, answer):
    assert allowed("User-agent: CyberMapper\nDisallow: /\n", agent, "/x", dialect) is answer


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("value", "agent"), [("mapper", "CyberMapper/1.0"), ("cybermapper deluxe", "CyberMapper")]
)
def test_parts_of_names_match_if_the_robot_wants_it(dialect, value, agent):
    text = f"User-agent: {value}\nDisallow: /\n"

    assert not comity.parse(text, dialect=dialect, agent_match="substring").allowed("/x", agent=agent)
    assert comity.parse(f"User-agent: {value}\nDisallow: /\n").allowed("/x", agent="unlike")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_star_is_the_default(dialect):
    text = "User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /private\n"

    assert not allowed(text, "b", "/x", dialect)
    assert allowed(text, "a", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_disallow_closes_what_begins_with_it(dialect):
    text = "User-agent: *\nDisallow: /a/b\n"

    assert [allowed(text, "a", path, dialect) for path in ("/a/b", "/a/bc?d", "/a/", "/x/a/b")] == [
        False, False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("value", "code"), [("help", "C301"), ("http://example.com/help", "C302")])
def test_values_that_are_no_path_close_nothing(dialect, value, code):
    text = f"User-agent: *\nDisallow: {value}\n"

    assert allowed(text, "a", "/help", dialect)
    assert code in findings(text)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("pattern", "path", "answer"), [
    ("/help", "/help.html", False),
    ("/help", "/help/index.html", False),
    ("/help/", "/help/index.html", False),
    ("/help/", "/help.html", True),
])  # fmt: skip
def test_final_slash_closes_a_folder_only(dialect, pattern, path, answer):
    assert allowed(f"User-agent: *\nDisallow: {pattern}\n", "a", path, dialect) is answer


@pytest.mark.parametrize("dialect", DIALECTS)
def test_empty_disallow_opens_everything(dialect):
    text = "User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n"

    assert allowed(text, "a", "/x", dialect)
    assert not allowed(text, "b", "/x", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_empty_file_welcomes_all(dialect, text):
    assert allowed(text, "a", "/x", dialect)


@pytest.mark.parametrize("status", [200, 204, 404])
def test_empty_and_absent_files_are_alike(status, tmp_path, monkeypatch):
    monkeypatch.setenv("COMITY_STORE", str(tmp_path / "store"))
    with Server({"/robots.txt": answer(status)}) as site:
        assert CliRunner().invoke(main, ["check", f"{site.origin}/x"]).exit_code == 0


#: The examples of the standard, of the guide for owners and of the encyclopedia: file, robot, path, answer.
SPACE = "# Nobody may visit the map or the scratch space.\nUser-agent: *\nDisallow: /cyberworld/map/ # endless\nDisallow: /tmp/ # short-lived\n"
EXCEPTION = "User-agent: *\nDisallow: /cyberworld/map/\n\n# One robot knows its way.\nUser-agent: cybermapper\nDisallow:\n"
GO_AWAY = "# go away\nUser-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("text", "agent", "path", "answer"), [
    (SPACE, "nosy", "/cyberworld/map/x", False),
    (SPACE, "nosy", "/tmp/1", False),
    (SPACE, "nosy", "/cyberworld/", True),
    (SPACE + "Disallow: /foo.html\n", "nosy", "/foo.html", False),
    (EXCEPTION, "nosy", "/cyberworld/map/x", False),
    (EXCEPTION, "CyberMapper/2.0", "/cyberworld/map/x", True),
    (GO_AWAY, "nosy", "/", False),
    (GO_AWAY, "cybermapper", "/x", False),
])  # fmt: skip
def test_examples_of_the_standard(dialect, text, agent, path, answer):
    assert allowed(text, agent, path, dialect) is answer


def test_second_record_for_all_robots_is_reported():
    record = "User-agent: *\nDisallow: /x\n"

    assert "C206" in findings(f"{record}\n{record}")


@pytest.mark.parametrize(("text", "code"), [
    ("User-agent: a\nDisallow: /x\n\nUser-agent: foo\n", "C203"),
    ("User-agent: foo\nCrawl-delay: 5\n", "C203"),
])  # fmt: skip
def test_record_without_rules_is_reported(text, code):
    assert code in findings(text)
