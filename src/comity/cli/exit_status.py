"""The exit statuses: the errors that end a command, and the count of answers that decides its status.

0 allowed or clean, 1 disallowed or findings, 2 wrong usage or unusable input, 3 unreachable, 130 stopped.
"""

from dataclasses import dataclass, field

import click

from .render.problems import ProblemLog
from .terminal import echo

#: The exit status of a command that was stopped by Ctrl-C.
STOPPED = 130


class UnusableInput(click.ClickException):
    """An input that cannot be read or understood."""

    exit_code = 2


class UnreachableSite(click.ClickException):
    """A site that did not answer in time, or not as needed."""

    exit_code = 3


@dataclass
class AnswerCount:
    """The number of answers of each kind, and the logs of errors and of unreachable sites.

    `problems` counts the problems of pages that are errors or warnings.
    """

    allowed: int = 0
    disallowed: int = 0
    unreachable: int = 0
    invalid: int = 0
    problems: int = 0
    errors: ProblemLog = field(default_factory=lambda: ProblemLog("Error"))
    sites: ProblemLog = field(default_factory=lambda: ProblemLog(""))

    @property
    def total(self) -> int:
        """The number of answers."""
        return self.allowed + self.disallowed + self.invalid

    def add(self, allowed: bool, *, unreachable: bool = False) -> None:
        """Count an answer."""
        self.allowed += allowed
        self.disallowed += not allowed
        self.unreachable += unreachable

    def reject(self, message: str, kind: str = "") -> bool:
        """Count an invalid URL. Print the error and return True if it is one of the first of its kind."""
        self.invalid += 1
        return self.errors.add(message, kind)

    def report(self, *, with_summary: bool) -> None:
        """Print how many errors were counted, but not printed, and the counts of several answers."""
        self.errors.close()
        self.sites.close()
        if with_summary and self.total > 1:
            echo(self.summary())

    def summary(self) -> str:
        """Return the counts as one line, such as "3 allowed, 1 disallowed"."""
        counts = (
            (self.allowed, "allowed"),
            (self.disallowed, "disallowed"),
            (self.invalid, "invalid"),
            (self.problems, "problem" if self.problems == 1 else "problems"),
        )
        return ", ".join(f"{count:,} {answer}" for count, answer in counts if count)

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return 2 if self.invalid else 3 if self.unreachable else 1 if self.disallowed or self.problems else 0
