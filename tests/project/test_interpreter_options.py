"""The texts and answers of the program under options of the interpreter, and imported from an archive."""

import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest

import comity

SOURCE = Path(comity.__file__).parents[1]

#: Prints, as JSON, what commands print and what the library answers. The first argument is the import path.
PROGRAM = r"""
import json, sys
sys.path.insert(0, sys.argv[1])
import comity
from click.testing import CliRunner
from comity.cli import _COMMANDS, main
from comity.site.linter.all_rules import RULES

FILE = "User-agent: *\nDisalow: /a\nDisallow: b\nCrawl-delay: soon\n"

def shown(*words, input=None):
    result = CliRunner().invoke(main, words, prog_name="comity", input=input, terminal_width=100, color=False)
    assert result.exit_code in (0, 1), (words, result.output, result.exception)
    return result.stdout

results = {
    "help": {name: shown(name, "--help") for name in _COMMANDS} | {"": shown("--help")},
    "rules": {rule.code: shown("lint", "--explain-rule", rule.code) for rule in RULES},
    "findings": {kind: shown("lint", "-", "--format", kind, input=FILE) for kind in ("text", "json", "sarif", "github")},
    "fmt": shown("fmt", "-", input=FILE),
    "minimize": shown("minimize", "-", input=FILE),
    "check": shown("check", "--robots", "-", "/a", "--explain", input=FILE),
    "agent": shown("agents", "GPTBot"),
    "agents": [agent.token for agent in comity.agents.ALL],
    "build": comity.build({"block": ["training"]}).body.decode(),
    "diff": [str(change) for change in comity.diff("", FILE).changes],
}
print(json.dumps(results, indent=1, sort_keys=True))
"""


def results(*options, path=SOURCE, **variables):
    """Return what the program prints in an interpreter with options and variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept |= {name: os.environ[name] for name in ("PYTHONPYCACHEPREFIX",) if name in os.environ}
    environment = {**kept, "COMITY_PURE": "1", **variables}
    done = subprocess.run(
        [sys.executable, *options, "-c", PROGRAM, str(path)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@cache
def expected():
    found = results()
    assert all(text.startswith("Usage: comity") for text in found["help"].values())
    assert all(text.count("\n") > 5 for text in [*found["help"].values(), *found["rules"].values()])
    return found


@pytest.mark.parametrize(
    "options",
    [
        ("-O", "-B", "-s"),
        ("-OO",),
        ("-I", "-X", "utf8=0"),
        ("-bb", "-X", "dev", "-W", "error", "-X", "warn_default_encoding"),
    ],
    ids=" ".join,
)
def test_option_changes_nothing(options):
    assert results(*options) == expected()


def test_warnings_of_the_environment_change_nothing():
    assert results(PYTHONWARNINGS="error", PYTHONUTF8="0", PYTHONOPTIMIZE="1") == expected()


@pytest.mark.parametrize("options", [(), ("-OO",)], ids=["plain", "-OO"])
def test_package_works_from_an_archive(tmp_path, options):
    archive = tmp_path / "comity.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for path in (SOURCE / "comity").rglob("*"):
            if path.is_file() and path.suffix not in (".pyc", ".so", ".pyd"):
                written.write(path, path.relative_to(SOURCE).as_posix())
    assert results(*options, path=archive) == expected()
