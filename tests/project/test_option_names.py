"""The names that type checkers accept are the names that the code accepts."""

import ast
from pathlib import Path

import pytest

import comity
from comity import agents
from comity.politeness.page import INDEX
from comity.protocol import option_names
from comity.protocol.access import POLICIES
from comity.protocol.page.directives import CONFLICTS
from comity.protocol.robotstxt import DIALECTS
from comity.protocol.robotstxt.engine.dialect import AGENT_MATCHES
from comity.protocol.usage import VOCABULARIES

USES = {
    use
    for vocabulary in VOCABULARIES.values()
    for use in comity.usage("/", agent=(), vocabulary=vocabulary).categories
}


def aliases():
    """Return the values of each alias; at run time the module has none."""
    source = Path(option_names.__file__).read_text(encoding="utf-8")
    return {
        node.target.id: {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)}
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.AnnAssign)
    }


@pytest.mark.parametrize(
    ("alias", "names"),
    [
        ("DialectName", DIALECTS),
        ("AgentMatch", AGENT_MATCHES),
        ("PolicyName", POLICIES),
        ("VocabularyName", VOCABULARIES),
        ("UseName", USES | {INDEX}),
        ("Conflicts", CONFLICTS),
        ("PurposeName", agents.PURPOSES),
    ],
)
def test_names_are_those_of_the_code(alias, names):
    assert aliases()[alias] == set(names)
