"""The diagnostics of a robots.txt, on standard error, and the line that describes a finding."""

from ...protocol.robotstxt.diagnostics.diagnostic import Diagnostic
from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.text import counted
from ...site.linter.finding import Finding
from ...site.linter.positions import Positions
from ..terminal import Styled, echo

#: Maximum number of diagnostics shown; the rest are only counted.
_SHOWN = 5

COLOURS = {"error": "red", "warning": "yellow", "information": "blue"}


def show_diagnostics(name: str, robots: RobotsTxt) -> None:
    """Print the errors and warnings of a robots.txt, one in each line."""
    problems = serious_diagnostics(robots)
    positions = Positions(robots.body)
    for problem in problems[:_SHOWN]:
        echo(*finding_parts(name, positions, problem), err=True)
    if len(problems) > _SHOWN:
        echo(
            f"{name}: {counted(len(problems) - _SHOWN, 'more error or warning', 'more errors and warnings')}",
            err=True,
        )


def serious_diagnostics(robots: RobotsTxt) -> list[Diagnostic]:
    """Return the errors and warnings of a robots.txt."""
    return [problem for problem in robots.diagnostics if problem.severity != "information"]


def finding_parts(name: str, positions: Positions, found: Diagnostic | Finding) -> tuple[str | Styled, ...]:
    """Return a finding as the parts of one line: `file:line:column: severity code name: message`."""
    line, column = positions.line_and_column(positions.offset(found.line, found.column))
    severity = Styled(found.severity, COLOURS[found.severity])
    return f"{name}:{line}:{column}: ", severity, f" {found.code} {found.name}: {found.message}"
