"""`comity agents`, run as a user runs it."""

import json

import pytest
from click.testing import CliRunner

from comity import agents
from comity.cli import main


def comity(*arguments, **options):
    return CliRunner().invoke(main, ["agents", *arguments], **options)


def objects(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_list_of_all_agents():
    head, *rows, count = comity().stdout.splitlines()

    assert head.split() == ["token", "operator", "purpose", "obeys", "falls", "back", "to"]
    assert [row.split("  ")[0] for row in rows] == [agent.token for agent in agents.ALL]
    assert count == f"{len(agents.ALL)} agents"
    (row,) = [row for row in rows if row.startswith("Googlebot-Image ")]
    assert row.split() == ["Googlebot-Image", "Google", "search", "yes", "Googlebot"]


@pytest.mark.parametrize("purposes", [["training"], ["SEO", "archive"]])
def test_agents_of_a_purpose(purposes):
    result = comity(*[word for purpose in purposes for word in ("--purpose", purpose)], "--json")
    expected = agents.by_purpose(*map(str.lower, purposes))

    assert result.exit_code == 0
    assert [row["token"] for row in objects(result)] == [agent.token for agent in expected]


def test_facts_of_one_agent():
    result = comity("AdsBot-Google")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[:9] == [
        "AdsBot-Google",
        "  operator       Google",
        "  user agent     AdsBot-Google (+http://www.google.com/adsbot.html)",
        "  contact        http://www.google.com/adsbot.html",
        "  purpose        ads: pages that show ads, or that ads lead to",
        "  obeys          yes: its operator says that it obeys robots.txt",
        "  meta robots    yes: its operator says that it obeys robots meta tags",
        "  X-Robots-Tag   unstated: no statement of its operator is known",
        "  bound by       only a group for AdsBot-Google; it ignores the group for *",
    ]
    assert "(2026-" in result.stdout


@pytest.mark.parametrize("agent", agents.ALL, ids=lambda agent: agent.token)
def test_every_agent_can_be_shown(agent):
    shown = comity(agent.token).stdout
    (row,) = objects(comity(agent.token, "--json"))

    known = (agent.operator, agent.user_agent, agent.contact, agent.platform, agent.documentation, agent.note)
    for text in (*filter(None, known), *agent.purposes, *agent.hosts, *agent.ranges, agent.source.url):
        assert text in shown
    assert "None" not in shown
    for title, answer in (
        ("meta robots", agent.obeys_meta_robots),
        ("X-Robots-Tag", agent.obeys_x_robots_tag),
    ):
        assert (f"\n  {title:<15}{answer}: " in shown) == agent.crawls
    assert row == {"name": agent.token, **agent.record()}
    assert row["falls_back_to"] == agent.falls_back_to
    assert {fact: source["name"] for fact, source in row["other_sources"].items()} == {
        fact: source.name for fact, source in agent.other_sources
    }


def test_header_as_name():
    result = comity("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "--json")

    assert objects(result)[0]["name"].startswith("Mozilla")
    assert objects(result)[0]["token"] == "GPTBot"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("GTPBot", "GTPBot: unknown agent; did you mean GPTBot?"),
        ("anthropic", "anthropic: unknown agent; did you mean ClaudeBot or anthropic-ai or Claude-Code or "),
        ("Google", "Google: unknown agent; did you mean Googlebot or AdsBot-Google or "),
        ("yahoo", "yahoo: unknown agent; did you mean Slurp?"),
        ("gpt", "gpt: unknown agent; did you mean ChatGPT Agent or ChatGPT-User or GPTBot?"),
        ("zzz", "zzz: unknown agent; comity agents lists the known ones\n"),
        ("\x1b[31m", "\\x1b[31m: unknown agent; comity agents lists the known ones\n"),
    ],
)
def test_unknown_name_exits_with_1_and_suggests_names(name, message):
    result = comity(name)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stdout == ""


def test_names_from_standard_input():
    lines = b"GPTBot\n\n  Mozilla/5.0 (compatible; bingbot/2.0)\r\nfoo\xe9\n"
    result = comity("CCBot", "-", "--json", input=lines)

    assert result.exit_code == 1
    assert [(row["name"][:7], row["token"]) for row in objects(result)] == [
        ("CCBot", "CCBot"),
        ("GPTBot", "GPTBot"),
        ("Mozilla", "bingbot"),
        ("foo\\xe9", None),
    ]
    assert objects(result)[-1]["nearest"] == []
    assert result.stderr == ""


def test_empty_line_between_agents():
    result = comity("CCBot", "zzz", "GPTBot")

    assert "\n\nGPTBot\n" in result.stdout
    assert not result.stdout.startswith("\n")
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--purpose", "evil"], "'evil' is not one of"),
        (["GPTBot", "--purpose", "seo"], "--purpose lists agents; leave out NAME or --purpose"),
        ([""], "'': not a valid name"),
        (["-"], "standard input: no name found"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, message):
    result = comity(*arguments, input="\n")

    assert result.exit_code == 2
    assert message in result.stderr
