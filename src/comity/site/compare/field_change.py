"""The change of a field other than Allow and Disallow."""

from collections.abc import Iterable

from ...protocol.robotstxt.engine.verdict import Field
from ...protocol.text import printable
from ...protocol.value import Value

#: Maximum number of lines of either file in an explanation.
_SHOWN = 3

#: Number of characters that a line takes in JSON besides its value.
_LINE = 20


class FieldChange(Value):
    r"""A statement that one file makes and the other does not make, or makes differently.

    `name` is the field in lower case. `old` and `new` are the lines with the statement in either file; empty
    otherwise. A `content-signal` is compared signal by signal, so the value is one signal of the
    line.

    >>> import comity
    >>> changes = comity.diff("User-agent: *\nCrawl-delay: 1", "User-agent: *\nCrawl-delay: 2").changes
    >>> print(changes[0].fields[0].explain())
    Crawl-delay changes: line 2 `1`; now line 2 `2`
    """

    name: str
    old: tuple[Field, ...]
    new: tuple[Field, ...]

    def explain(self) -> str:
        """Return a sentence, with control characters escaped."""
        # The drafts write Content-Usage, but Crawl-delay.
        name = self.name.title() if self.name.startswith("content-") else self.name.capitalize()
        if not self.new:
            return printable(f"{name} is removed: {_lines(self.old)}")
        if not self.old:
            return printable(f"{name} is added: {_lines(self.new)}")
        return printable(f"{name} changes: {_lines(self.old)}; now {_lines(self.new)}")

    @property
    def size(self) -> int:
        """The number of characters of the lines, some for each line added."""
        return sum(_LINE + len(field.value) for field in (*self.old, *self.new))

    def record(self) -> dict[str, object]:
        """Return a JSON object; bytes that are not UTF-8 are escaped."""
        return {
            "name": self.name,
            "old": [{"line": field.line, "value": printable(field.value)} for field in self.old],
            "new": [{"line": field.line, "value": printable(field.value)} for field in self.new],
        }


def _lines(fields: Iterable[Field]) -> str:
    shown = [f"line {field.line} `{field.value}`" for field in fields]
    more = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
