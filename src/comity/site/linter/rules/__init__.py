"""The rules of the linter, a module for each family; the docstring of a rule is its documentation.

rule         what a rule is; subject, ignore, problem, explanation: what it reads and reports
lines, group_structure, robot_names, path_spelling, ineffective_rules, fields, sitemaps, usage_statements,
dialects, exposure
             the families, in the order of their codes
"""

from . import (
    dialects,
    exposure,
    fields,
    group_structure,
    ineffective_rules,
    lines,
    path_spelling,
    robot_names,
    sitemaps,
    usage_statements,
)
from .rule import LintRule

__all__ = ["DIAGNOSTICS_ONLY", "RULES"]

_FAMILIES = (
    *(lines, group_structure, robot_names, path_spelling, ineffective_rules),
    *(fields, sitemaps, usage_statements, dialects, exposure),
)

#: All rules, in the order of their codes.
RULES = tuple(
    sorted(
        (value for family in _FAMILIES for value in vars(family).values() if isinstance(value, LintRule)),
        key=lambda rule: rule.code,
    )
)

#: What the diagnostics mean that no rule reports under their own names.
DIAGNOSTICS_ONLY = {
    "agent-not-a-token": "A robot's name has digits or dots.",
    "ignored-in-dialect": "A field has no meaning in the dialect.",
    "usage-between-agents": "A Content-Usage line is between User-agent lines.",
}
