"""The linter: rules, each with its documentation, and what is done with their findings.

linting     a body -> findings; this is `comity.lint`
baseline    known findings, which are not reported again
fixing      a body -> the body with its fixes
settings    selected rules, and the severity of their findings
rules/      the rules, a module for each family
"""

from ..._lazy import lazy

__getattr__, __dir__ = lazy(
    __name__,
    {
        ".finding": "Finding finding_lines summary",
        ".fixing": "fixed",
        ".lint_settings": "Settings settings_for settings_in",
        ".linting": "findings",
        ".all_rules": "DIAGNOSTICS_ONLY RULES",
        ".rules.dialects": "sample_urls",
        ".rules.fields": "PREFERENCES ignores",
        ".rules.subject": "Subject ignores_of",
        ".sarif": "sarif_of",
    },
)
