"""The exit statuses: the errors that end a command, and the count of answers that decides its status.

0 allowed or clean, 1 disallowed or findings, 2 wrong usage or unusable input, 3 unreachable.
"""

from dataclasses import dataclass

import click

from .terminal import echo


class UnusableInput(click.ClickException):
    """An input that cannot be read or understood."""

    exit_code = 2


class UnreachableSite(click.ClickException):
    """A site that did not answer in time, or not as needed."""

    exit_code = 3


#: Maximum number of invalid URLs that are reported; the rest are only counted.
_REPORTED = 5


@dataclass
class AnswerCount:
    """The number of answers of each kind."""

    allowed: int = 0
    disallowed: int = 0
    unreachable: int = 0
    invalid: int = 0

    @property
    def total(self) -> int:
        """The number of answers."""
        return self.allowed + self.disallowed + self.invalid

    def add(self, allowed: bool, *, unreachable: bool = False) -> None:
        """Count an answer."""
        self.allowed += allowed
        self.disallowed += not allowed
        self.unreachable += unreachable

    def reject(self, message: str) -> bool:
        """Count an invalid URL. Print the error and return True if it is one of the first."""
        self.invalid += 1
        if self.invalid > _REPORTED:
            return False
        echo(f"Error: {message}", err=True)
        return True

    def report(self, *, with_summary: bool) -> None:
        """Print how many invalid URLs were counted, but not reported, and the counts of several answers."""
        if self.invalid > _REPORTED:
            more = self.invalid - _REPORTED
            echo(
                f"Error: {more:,} more {'line is not a URL' if more == 1 else 'lines are not URLs'}", err=True
            )
        if with_summary and self.total > 1:
            echo(self.summary())

    def summary(self) -> str:
        """Return the counts as one line, such as "3 allowed, 1 disallowed"."""
        counts = ((self.allowed, "allowed"), (self.disallowed, "disallowed"), (self.invalid, "invalid"))
        return ", ".join(f"{count:,} {answer}" for count, answer in counts if count)

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return 2 if self.invalid else 3 if self.unreachable else 1 if self.disallowed else 0
