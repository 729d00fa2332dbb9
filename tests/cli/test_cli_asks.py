"""What a robots.txt asks of a robot, as `comity check` and `comity fetch` list it."""

import json
import time

import pytest
from click.testing import CliRunner
from command_home import own_home
from http_server import Server, answer

from comity.cli import main

#: Each valid field once, invalid values between them, and a group of another robot.
ROBOTS = b"""\
User-agent: *
Crawl-delay: 10
Crawl-delay: soon
Request-rate: 1/5 0600-0845
Request-rate: 0/5
Visit-time: 0600-0845
Visit-time: 2542-3199
Content-Usage: /ai train-ai=n
Content-Usage: cats=n
Content-Signal: ai-train=no
Content-Signal: ai-train=maybe
Content-Signal: use=reference
Disallow:
User-agent: ABot
User-agent: BBot
Disallow: /closed

User-agent: BBot
Crawl-delay: 2
Disallow: /closed

User-agent: QuietBot
Disallow:
"""

#: The lines for a robot, as text.
LINES = {
    "*": [
        "line 2 `Crawl-delay: 10` (group *, lines 1-13)",
        "line 4 `Request-rate: 1/5 0600-0845` (group *, lines 1-13)",
        "line 6 `Visit-time: 0600-0845` (group *, lines 1-13)",
        "line 8 `Content-Usage: /ai train-ai=n` (group *, lines 1-13)",
        "line 10 `Content-Signal: ai-train=no` (group *, lines 1-13)",
        "line 12 `Content-Signal: use=reference` (group *, lines 1-13)",
    ],
    "BBot": ["line 19 `Crawl-delay: 2` (group BBot, lines 18-20)"],
    "ABot": [],
    "QuietBot": [],
}

#: 2023-11-14 22:13:20 UTC, outside the Visit-time, and the next morning inside it.
NIGHT, MORNING = 1_700_000_000.0, 1_700_000_000.0 + 8 * 3600

OPENS = "Visit-time allows requests from 2023-11-15T06:00:00Z, 7 h 46 min from now"


@pytest.fixture(autouse=True)
def site(tmp_path, monkeypatch):
    own_home(tmp_path, monkeypatch)
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with Server({"/robots.txt": answer(200, ROBOTS), "*": answer(200, b"tea")}) as server:
        yield server


@pytest.fixture
def night(monkeypatch):
    set_time(monkeypatch, NIGHT)


def set_time(monkeypatch, now):
    monkeypatch.setattr(time, "time", lambda: now)


def comity(*arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (0, 1, 3), result.output
    return result.stdout


def listed(output):
    return [line.strip() for line in output.splitlines() if line.startswith("  line ")]


@pytest.mark.parametrize("agent", LINES)
@pytest.mark.parametrize("extra", [[], ["--explain"]], ids=" ".join)
@pytest.mark.usefixtures("night")
def test_check_lists_valid_fields_once(agent, extra):
    output = comity("check", "--robots", "robots.txt", "/a", "/b", "/closed", "--agent", agent, *extra)

    assert listed(output) == LINES[agent]
    name = "robots without a group of their own" if agent == "*" else agent
    assert output.count(f"robots.txt asks {name}:\n") == bool(LINES[agent])
    assert output.count(f"\n/a: {OPENS}\n") == (agent == "*")
    assert output.count("Visit-time allows") == (agent == "*")


def test_check_lists_each_robot_of_each_site(site):
    with Server({"/robots.txt": answer(200, b"User-agent: *\nCrawl-delay: 1")}) as other:
        urls = [f"{server.origin}{path}" for path in ("/a", "/b") for server in (site, other)]
        output = comity("check", *urls, "--agent", "ABot", "--agent", "BBot")

    assert sorted(line for line in output.splitlines() if " asks " in line) == sorted(
        [f"{other.origin} asks ABot:", f"{site.origin} asks BBot:", f"{other.origin} asks BBot:"]
    )


@pytest.mark.usefixtures("night")
def test_json_has_fields_in_the_first_answer_of_a_robot():
    output = comity(
        "check", "--robots", "robots.txt", "/a", "/b", "--json", "--agent", "*", "--agent", "ABot"
    )
    first, quiet, *later = map(json.loads, output.splitlines())

    assert [(one["field"], one["value"], one["line"]) for one in first["asks"]] == [
        ("crawl-delay", "10", 2),
        ("request-rate", "1/5 0600-0845", 4),
        ("visit-time", "0600-0845", 6),
        ("content-usage", "/ai train-ai=n", 8),
        ("content-signal", "ai-train=no", 10),
        ("content-signal", "use=reference", 12),
    ]
    assert first["asks"][0]["group"] == {"agents": ["*"], "line": 1, "end_line": 13}
    assert first["opens"] == "2023-11-15T06:00:00Z"
    assert not any({"asks", "opens"} & one.keys() for one in (quiet, *later))


def test_nothing_is_closed_inside_visit_time(monkeypatch):
    set_time(monkeypatch, MORNING)
    words = ("check", "--robots", "robots.txt", "/a")

    assert listed(comity(*words)) == LINES["*"]
    assert "Visit-time allows" not in comity(*words)
    assert "opens" not in json.loads(comity(*words, "--json"))


@pytest.mark.parametrize("agent", LINES)
@pytest.mark.usefixtures("night")
def test_fetch_lists_fields_for_its_user_agent(site, agent):
    header = "OtherBot/1.0" if agent == "*" else f"{agent}/1.0"
    output = comity("fetch", f"{site.origin}/tea", "--user-agent", header)
    record = json.loads(comity("fetch", f"{site.origin}/tea", "--user-agent", header, "--json"))

    assert [line.split(maxsplit=1)[1] for line in output.splitlines() if line.startswith("  asks ")] == LINES[
        agent
    ]
    assert output.count(f"closed       {site.origin}/tea: {OPENS}\n") == (agent == "*")
    assert record["agent"] == header.partition("/")[0]
    assert [one["line"] for one in record["asks"]] == [int(line.split()[1]) for line in LINES[agent]]


def test_page_is_shown_with_what_its_site_asks(site):
    urls = [f"{site.origin}{path}" for path in ("/a", "/b")]
    names = ["--agent", "BBot", "--agent", "QuietBot", "--user-agent", "QuietBot/1.0"]
    words = ["check", "--page", *urls, *names]
    output = comity(*words)
    records = [json.loads(line) for line in comity(*words, "--json").splitlines()]

    assert listed(output) == LINES["BBot"]
    assert output.count(f"{site.origin} asks BBot:\n") == 1
    assert [[one["line"] for one in record.get("asks", ())] for record in records] == [[19], [], [], []]


@pytest.mark.parametrize("status", [404, 403, 500])
def test_nothing_is_asked_without_rules(status):
    with Server({"/robots.txt": answer(status, ROBOTS)}) as server:
        assert "asks" not in comity("check", f"{server.origin}/a")
        assert "asks" not in comity("fetch", f"{server.origin}/a")
        assert json.loads(comity("fetch", f"{server.origin}/a", "--json"))["asks"] == []


def test_many_fields_and_long_values_are_cut(tmp_path):
    lines = [b"User-agent: *", *[b"Crawl-delay: 1"] * 30, b"Content-Usage: /%s train-ai=n" % (b"a" * 9000)]
    (tmp_path / "robots.txt").write_bytes(b"\n".join(lines))
    output = comity("check", "--robots", "robots.txt", "/a")

    assert len(listed(output)) == 20
    assert "  and 11 more lines\n" in output
    record = json.loads(comity("check", "--robots", "robots.txt", "/a", "--json"))
    assert len(record["asks"]) == 31
    assert len(record["asks"][-1]["value"]) == 200


def test_output_of_a_hostile_file_is_bounded(tmp_path):
    """Each field names its group, so many names and many fields would multiply."""
    lines = [b"User-agent: bot%d" % number for number in range(5000)] + [b"Crawl-delay: 1"] * 5000
    (tmp_path / "robots.txt").write_bytes(b"\n".join(lines))
    output = comity("check", "--robots", "robots.txt", "/a", "--json", "--agent", "bot7")
    asks = json.loads(output)["asks"]

    assert (len(asks), len(asks[0]["group"]["agents"])) == (1000, 100)
    assert "  and 4,980 more lines\n" in comity("check", "--robots", "robots.txt", "/a", "--agent", "bot7")


def test_control_characters_are_escaped(tmp_path):
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nContent-Usage: /\x1b[31m\xff train-ai=n\n")
    output = comity("check", "--robots", "robots.txt", "/a")

    assert "\x1b" not in output
    assert "\x1b" not in comity("check", "--robots", "robots.txt", "/a", "--json")
    assert len(listed(output)) == 1


@pytest.mark.usefixtures("night")
def test_password_is_not_shown(site):
    url = f"{site.origin.replace('//', '//user:secret@')}/a"
    for words in (["check", url], ["check", url, "--explain"], ["fetch", url]):
        output = comity(*words)
        assert f"{site.origin}/a: {OPENS}" in output
        assert "secret" not in output
