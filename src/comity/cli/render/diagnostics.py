"""The diagnostics of a robots.txt, on standard error."""

from ...protocol.robotstxt.diagnostics.diagnostic import Diagnostic
from ...protocol.robotstxt.document import RobotsTxt
from ...protocol.text import counted
from ..terminal import Styled, echo

#: Maximum number of diagnostics shown; the rest are only counted.
_SHOWN = 5

COLOURS = {"error": "red", "warning": "yellow", "information": "blue"}


def show_diagnostics(name: str, robots: RobotsTxt) -> None:
    """Print the errors and warnings of a robots.txt, one in each line."""
    problems = serious_diagnostics(robots)
    for problem in problems[:_SHOWN]:
        place, severity, text = str(problem).partition(problem.severity)
        echo(f"{name}:{place}", Styled(severity, COLOURS[severity]), text, err=True)
    if len(problems) > _SHOWN:
        echo(
            f"{name}: {counted(len(problems) - _SHOWN, 'more error or warning', 'more errors and warnings')}",
            err=True,
        )


def serious_diagnostics(robots: RobotsTxt) -> list[Diagnostic]:
    """Return the errors and warnings of a robots.txt."""
    return [problem for problem in robots.diagnostics if problem.severity != "information"]
