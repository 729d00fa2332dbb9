"""`tools/agents_check.py`, which compares the catalogue with public lists."""

import importlib.util
import json
from pathlib import Path

import pytest

from comity import agents

TOOL = Path(__file__).parents[2] / "tools" / "agents_check.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("agents_check", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (b'{"GPTBot": {"operator": "x"}, "NewBot": {}}', ["NewBot"]),
        (b'["gptbot", "NewBot", "Brightbot 1.0", "MistralAI-User/1.0", "Spider", "Google"]', ["NewBot"]),
        (b'[{"pattern": "GPTBot\\\\/", "instances": ["GPTBot/1.0"]}, {"pattern": "^New", "instances": ["NewBot/1"]}]', ["New"]),
        (b'[{"pattern": "x", "instances": ["Mozilla/5.0 (compatible; Googlebot/2.1)"]}]', []),
        (b"User-agent: GPTBot\nUser-agent: NewBot\nUser-agent: *\nDisallow: /\n", ["NewBot"]),
        (b"# names\nGPTBot\n\nNewBot\nNewBot\n", ["NewBot"]),
        (b"", []),
    ],
)  # fmt: skip
def test_missing_names(tool, tmp_path, capsys, body, missing):
    file = tmp_path / "list.json"
    file.write_bytes(body)
    tool.main([str(file), "--json"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [one["name"] for one in found if one["kind"] == "missing"] == missing


@pytest.mark.parametrize("body", [b"{", b"[1]", b"[" * 100_000, b'[{"name": "x"}]'])
def test_list_that_cannot_be_read(tool, tmp_path, capsys, body):
    file = tmp_path / "list.json"
    file.write_bytes(body)

    assert tool.main([str(file)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_missing_file(tool, tmp_path, capsys):
    assert tool.main([str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_stale_sources(tool, capsys):
    assert tool.main(["--today", "2030-01-01", "--stale", "30"]) == 1
    lines = capsys.readouterr().out.splitlines()

    assert any(line.startswith("stale: google-common: checked 11") for line in lines)
    tool.main(["--stale", "100000"])
    assert "0 stale" in capsys.readouterr().out.splitlines()[-1]


def test_unsourced_agents(tool):
    found = {finding.name: finding.problem for finding in tool.unsourced()}

    assert found["newsai"] == "its operator is not known"
    assert found["Bytespider"] == "no page of ByteDance is known"
    assert found["AddSearchBot"] == "http://www.addsearch.com/bot is known only from crawler-user-agents"
    assert (
        not {"Googlebot", "GPTBot", "YandexImages", "coccocbot-web", "Diffbot", "anthropic-ai"} & found.keys()
    )


def test_repository_of_operator_is_its_page(tool):
    unsourced = {finding.name for finding in tool.unsourced()}
    cited = {agent.token for agent in agents.ALL if tool._site(agent.source.url) in tool.OWN_REPOSITORIES}

    assert {"Scrapy", "archive.org_bot"} <= cited
    assert not cited & unsourced
