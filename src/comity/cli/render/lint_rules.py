"""The rules of the linter, listed and explained."""

import click

from ...protocol import printable
from ...protocol.robotstxt.diagnostics import KINDS
from ...site.linter import DIAGNOSTICS_ONLY, RULES
from ..terminal import echo_lines
from .table import show_table


def show_rules(code: str | None) -> None:
    """Explain the rule with a code or a name, or list all rules."""
    if code is None:
        _list_rules()
    else:
        _explain_rule(code)


def _explain_rule(code: str) -> None:

    wanted = code.strip().lower()
    own = (
        rule
        for rule in RULES
        if wanted.upper() in (rule.code, rule.name.upper(), *map(str.upper, rule.aliases))
    )
    rule = next(own, None)
    only = (KINDS[name] for name in DIAGNOSTICS_ONLY)
    kind = next((kind for kind in only if wanted in (kind.code.lower(), kind.name)), None)
    if rule is None and kind is not None:
        about = DIAGNOSTICS_ONLY[kind.name]
        echo_lines(f"{kind.code} {kind.name} ({kind.severity}, only a diagnostic)\n\n{about}")
        return
    if rule is None:
        raise click.UsageError(
            f"--explain-rule: unknown rule {printable(code)!r}; comity lint --rules lists them"
        )
    selected = "" if rule.default else ", only if selected"
    echo_lines(f"{rule.code} {rule.name} ({rule.severity}{selected})\n\n{rule.documentation.strip()}")


def _list_rules() -> None:

    rows = [
        [
            (rule.code, "bold"),
            (rule.name, ""),
            (rule.severity, ""),
            ("" if rule.default else "no", ""),
            (rule.explanation.summary, ""),
        ]
        for rule in RULES
    ]
    show_table(["code", "name", "severity", "default", "finds"], rows)
