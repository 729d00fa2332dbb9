"""Group paths by the answers of all lists of rules: each group is a column of a matrix."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from ...protocol.robotstxt.engine.verdict import Rule
from ...protocol.robotstxt.rules import Rules
from .values import MatrixColumn

#: Number of paths judged at once.
_BATCH = 1000

#: Maximum number of columns; of each, the maximum number of paths and of rules that are stored.
MAX_COLUMNS = 1000
MAX_EXAMPLES = 100

#: Maximum number of different URLs that have a column each, even if their answers are the same.
SEPARATE = 20

#: The answer of each list of rules.
Answers = tuple[bool, ...]


class Columns:
    """The columns, by the answers of the lists.

    `judged` is the number of all paths, and `more` that of paths without a column.
    """

    def __init__(self, lists: Sequence[Rules]) -> None:
        """Create no column yet."""
        self._lists = lists
        self._found: dict[tuple[Answers, str], _Column] = {}
        self.judged = 0
        self.more = 0

    def add(
        self,
        paths: Iterable[str],
        *,
        rules: Mapping[str, Rule | None] | None = None,
        separate: bool = False,
        only_new: bool = False,
    ) -> None:
        """Judge paths and add them to their columns.

        `rules` has the rules that paths come from. With `separate`, each path has a column of its own.
        With `only_new`, paths whose answers are known are left out.
        """
        rest = iter(paths)
        while batch := list(islice(rest, _BATCH)):
            answers = zip(*(each.allowed_many(batch) for each in self._lists), strict=True)
            for path, key in zip(batch, answers, strict=True):
                place = key, path if separate else ""
                column = self._found.get(place)
                if column is not None and only_new:
                    continue
                self.judged += 1
                if column is None:
                    if len(self._found) == MAX_COLUMNS:
                        self.more += 1
                        continue
                    column = self._found[place] = _Column()
                column.add(path, rules.get(path) if rules else None)

    @property
    def values(self) -> tuple[MatrixColumn, ...]:
        """The columns, in the order of their first paths."""
        return tuple(column.value for column in self._found.values())

    def answers(self, number: int) -> Answers:
        """Return the answers of a list about the columns."""
        return tuple(answers[number] for answers, _ in self._found)


class _Column:
    """A column while paths are added."""

    __slots__ = ("count", "examples", "rules")

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[str] = []
        self.rules: list[Rule] = []

    def add(self, path: str, rule: Rule | None) -> None:
        self.count += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(path)
        if rule is not None and len(self.rules) < MAX_EXAMPLES:
            self.rules.append(rule)

    @property
    def value(self) -> MatrixColumn:
        return MatrixColumn(self.examples[0], self.count, tuple(self.examples), tuple(self.rules))
