"""All rules of the linter, in the order of their codes, and the diagnostics without a rule."""

from .rules import (
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
from .rules.rule import LintRule

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
