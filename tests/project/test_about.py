"""CITATION.cff and SECURITY.md name the version of the project."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_citation_has_the_data_of_the_project():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    fields = dict(re.findall(r"^([\w-]+): (.+)$", citation, re.MULTILINE))

    assert fields["version"] == PROJECT["version"]
    assert fields["license"] == PROJECT["license"]
    assert f'name: "{PROJECT["authors"][0]["name"]}"' in citation
    assert {"cff-version", "message", "title", "type"} <= fields.keys()  # with `authors`, the required fields


def test_security_policy_supports_the_current_version():
    series = ".".join(PROJECT["version"].split(".")[:2])

    assert f"\n| {series} | yes |\n" in (ROOT / "SECURITY.md").read_text("utf-8")
