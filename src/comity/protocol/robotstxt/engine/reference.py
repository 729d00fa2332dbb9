"""A body -> its groups, and which of them speak to a robot: the reference engine's reading.

`_compiled.Reading` is its twin and answers the same; `engine` chooses one of them.
"""

from collections.abc import Sequence

from ..dialect import Dialect
from ..groups import RawGroup, Record, grouped
from ..lexer import fields
from ..selection import Directory

__all__ = ["Reading"]


class Reading:
    """What a body says, read once."""

    __slots__ = ("_directory", "dialect", "groups", "strays", "whole_file")

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        """Read a body in a dialect, in time proportional to it."""
        self.dialect = dialect
        self.groups: Sequence[RawGroup]
        self.whole_file: Sequence[Record]
        self.strays: Sequence[Record]
        self.groups, self.whole_file, self.strays = grouped(fields(body, dialect), dialect)
        self._directory: Directory | None = None

    @property
    def has_groups(self) -> bool:
        """Whether the body names any robot at all."""
        return bool(self.groups)

    def select(self, names: Sequence[str]) -> tuple[str | None, Sequence[RawGroup]]:
        """Give the name by which groups speak to a robot, and those groups, in file order."""
        if self._directory is None:
            self._directory = Directory([group.names for group in self.groups], self.dialect)
        selection = self._directory.select(names)
        numbers = dict.fromkeys(group for group, _ in selection.mentions)
        return selection.name, [self.groups[number] for number in numbers]
