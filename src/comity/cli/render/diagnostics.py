"""The diagnostics of a robots.txt, on standard error."""

from collections.abc import Sequence

import click

from ...protocol.robotstxt.diagnostics import Diagnostic
from ...protocol.robotstxt.verdict import printable

__all__ = ["show_diagnostics"]

#: Maximum number of diagnostics shown; the rest are only counted.
_SHOWN = 5


def show_diagnostics(name: str, diagnostics: Sequence[Diagnostic]) -> None:
    """Print the errors and warnings, one `file:line:column` a line."""
    problems = [problem for problem in diagnostics if problem.severity != "information"]
    for problem in problems[:_SHOWN]:
        location = f"{printable(name)}:{problem.line}:{problem.column}"
        click.echo(f"{location}: {problem.severity}: {problem.message}", err=True)
    if len(problems) > _SHOWN:
        click.echo(f"{printable(name)}: {len(problems) - _SHOWN:,} more errors and warnings", err=True)
