"""The diagnostics of a robots.txt, on standard error, and the line that describes a finding."""

import click

from ...protocol.robotstxt.diagnostics.diagnostic import Diagnostic
from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.text import printable
from ...site.linter.finding import Finding
from ...site.linter.positions import Positions

#: Maximum number of diagnostics shown; the rest are only counted.
_SHOWN = 5

COLOURS = {"error": "red", "warning": "yellow", "information": "blue"}


def show_diagnostics(name: str, robots: RobotsTxt) -> None:
    """Print the errors and warnings of a robots.txt, one in each line."""
    problems = [problem for problem in robots.diagnostics if problem.severity != "information"]
    positions = Positions(robots.body)
    for problem in problems[:_SHOWN]:
        click.echo(finding_line(name, positions, problem), err=True)
    if len(problems) > _SHOWN:
        click.echo(f"{printable(name)}: {len(problems) - _SHOWN:,} more errors and warnings", err=True)


def finding_line(name: str, positions: Positions, found: Diagnostic | Finding) -> str:
    """Return a finding in one line, as `file:line:column: severity code name: message`."""
    line, column = positions.line_and_column(positions.offset(found.line, found.column))
    severity = click.style(found.severity, fg=COLOURS[found.severity])
    location = f"{printable(name)}:{line}:{column}"
    return f"{location}: {severity} {found.code} {found.name}: {printable(found.message)}"
