"""The glossary: its terms occur in the documentation or the code, and it has each word that Comity uses."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
TEXT = GLOSSARY.read_text("utf-8")
TERMS = re.findall(r"^\| \*\*(.+?)\*\* \|", TEXT, re.MULTILINE)
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]


@pytest.fixture(scope="module")
def everything():
    """The documentation and the code without the glossary, in lower case and with single spaces."""
    texts = [path.read_text("utf-8") for path in SOURCES if path != GLOSSARY]
    return " ".join(" ".join(texts).lower().split())


def test_terms_are_listed_once():
    assert len(TERMS) > 50
    assert len(TERMS) == len({term.lower() for term in TERMS})


@pytest.mark.parametrize("term", TERMS)
def test_terms_are_used(term, everything):
    assert term.lower() in everything


def test_every_enumeration_is_in_the_glossary():
    """Each code is a word of some table, so a new enumeration belongs into tools/glossary.py."""
    words = set(re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE)) | set(re.findall(r"`([\w-]+)`", TEXT))
    codes = set()
    for path in (ROOT / "src" / "comity").rglob("*.py"):
        for body in re.findall(
            r"^class \w+\(Choice\):\n((?:    .*\n|\n)+)", path.read_text("utf-8"), re.MULTILINE
        ):
            codes |= set(re.findall(r'^    [A-Z_]+ = \(?\s*"([\w-]+)"', body, re.MULTILINE))

    assert len(codes) > 50
    assert codes <= words
