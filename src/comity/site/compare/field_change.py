"""What a field other than Allow and Disallow says, in the old file and in the new one, where that differs."""

from collections.abc import Iterable

from ...protocol.robotstxt.verdict import Field, printable
from ...protocol.value import Value

__all__ = ["FieldChange"]

#: So many lines of either file are named in a sentence.
_SHOWN = 3


class FieldChange(Value):
    """One thing that a field says in one file and not, or otherwise, in the other.

    `name` is the field, in lower case. `old` and `new` are the lines that say it in either file, each with
    its number; empty where the file does not say it. A `content-signal` is told signal by signal, so that the
    value is one of those of its line.
    """

    __slots__ = ("name", "old", "new")
    name: str
    old: tuple[Field, ...]
    new: tuple[Field, ...]

    def explain(self) -> str:
        """Say it in a sentence; control characters come out escaped."""
        # As their drafts write them: Content-Usage, but Crawl-delay.
        name = self.name.title() if self.name.startswith("content-") else self.name.capitalize()
        if not self.new:
            return printable(f"{name} is gone: {_lines(self.old)}")
        if not self.old:
            return printable(f"{name} is new: {_lines(self.new)}")
        return printable(f"{name} changes: {_lines(self.old)}; now {_lines(self.new)}")

    def record(self) -> dict[str, object]:
        """Give it as JSON has it; octets that are not UTF-8 come out escaped."""
        return {
            "field": self.name,
            "old": [{"line": field.line, "value": printable(field.value)} for field in self.old],
            "new": [{"line": field.line, "value": printable(field.value)} for field in self.new],
        }


def _lines(fields: Iterable[Field]) -> str:
    told = [f"line {field.line} `{field.value}`" for field in fields]
    more = len(told) - _SHOWN
    return ", ".join(told[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
