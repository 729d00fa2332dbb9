"""A robots.txt that is built from a plan."""

from typing import TypedDict

import comity
from comity.errors import InvalidPlan
from comity.site import Built, Note


class Plan(TypedDict):
    block: list[str]
    close: str


plan: Plan = {"block": ["GPTBot"], "close": "/tmp/"}
built: Built = comity.build(dict(plan), provenance=True)
assert comity.parse(built.body).allowed("/tmp/a", agent="GPTBot") is False
notes: tuple[Note, ...] = built.notes
try:
    comity.build({"clos": "/tmp/"})
except InvalidPlan as error:
    problems: tuple[str, ...] = error.problems
    assert "did you mean close?" in problems[0]
