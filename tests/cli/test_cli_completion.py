"""Completion of commands, options, files and agents, in the shells that are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import comity
from comity.cli import main

#: A script that completes a line -> the words that the shell offers, one per line.
SCRIPTS = {
    "bash": """
        eval "$(_COMITY_COMPLETE=bash_source comity)"
        COMP_WORDS=(%s)
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        $(complete -p comity | sed 's/.*-F \\([^ ]*\\).*/\\1/') comity
        printf '%%s\\n' "${COMPREPLY[@]}"
    """,
    "fish": """
        _COMITY_COMPLETE=fish_source comity | source
        complete -C '%s' | cut -f 1
    """,
}


def completed(line, shell):
    """Return the completions of a line, by the protocol between click and a shell."""
    words = line.split(" ")
    environment = {"_COMITY_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": words[-1]}
    if shell != "fish":
        environment["COMP_CWORD"] = str(len(words) - 1)
    return CliRunner(env=environment).invoke(main, prog_name="comity").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("comity li", "lint"),
        ("comity lint --unsafe", "--unsafe-fixes"),
        ("comity agents gpt", "GPTBot"),
        ("comity check --agent claudeb", "ClaudeBot"),
        ("comity check --policy goo", "google"),
        ("comity lint rob", "file"),
        ("comity fmt rob", "file"),
        ("comity diff rob", "file"),
        ("comity minimize rob", "file"),
        ("comity build rob", "file"),
        ("comity check --robots rob", "file"),
        ("comity check --urls rob", "file"),
        ("comity lint --config com", "file"),
        ("comity crawl --report rep", "file"),
    ],
)
def test_words_are_completed(line, word, shell):
    assert word in completed(line, shell).replace(",", "\n").replace("\t", "\n").splitlines()


@pytest.fixture
def environment(tmp_path):
    """The variables of a process that finds the command `comity`."""
    script = tmp_path / "comity"
    script.write_bytes(f'#!/bin/sh\nexec {sys.executable} -m comity "$@"\n'.encode())
    script.chmod(0o755)
    (tmp_path / "robots.txt").touch()
    source = str(Path(comity.__file__).parents[1])
    return {
        **os.environ,
        "PYTHONPATH": source,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
    }


@pytest.mark.parametrize(
    ("shell", "line", "word"),
    [("bash", "comity li", "lint"), ("fish", "comity li", "lint"), ("fish", "comity lint rob", "robots.txt")],
)
def test_shell_completes(shell, line, word, environment, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    done = subprocess.run(
        [shell, "-c", SCRIPTS[shell] % line],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )

    assert word in done.stdout.split(), done.stderr


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_knows_the_completion(environment, tmp_path):
    script = (
        "autoload -U compinit; compinit -u -d dump; "
        'eval "$(_COMITY_COMPLETE=zsh_source comity)"; print ${_comps[comity]}'
    )
    done = subprocess.run(
        ["zsh", "-fc", script], env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8"
    )

    assert done.stdout == "_comity_completion\n", done.stderr
