"""Finite automata over URL paths, which compare the rules of two files."""

from ...._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".alphabet": "Alphabet",
        ".example_paths": "sample_paths",
        ".overlaps": "OverlapIndex",
        ".pending_rules": "ABSENT",
        ".product_walk": "PairedRule ProductWalk STATES state_limit",
        ".rule_pairs": "ROBOTS_TXT_KEY RuleTable rule_of rule_table",
        ".verdict_walk": "VerdictWalk",
    },
)
