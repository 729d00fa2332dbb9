"""A robots.txt and what it is to become -> what changes, as a unified diff.

Every line of a file has its line in the canonical layout, in the same order, and only blank lines come and
go. So those are walked through side by side, in time proportional to them, where a diff of any two files
takes more.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..protocol.robotstxt.dialect import RFC9309
from ..protocol.robotstxt.grammar import BOM
from ..protocol.robotstxt.lexer import lines
from ..protocol.robotstxt.verdict import printable, text_of

__all__ = ["Step", "any_diff", "side_by_side", "unified_diff"]

#: So many lines that stay are shown before and after those that change.
_CONTEXT = 3


class Step(NamedTuple):
    """Lines that stand side by side, with their ends; `None` where the other file has none."""

    old: bytes | None
    new: bytes | None


def unified_diff(name: str, before: bytes, after: bytes) -> Iterator[str]:
    """Give the lines of a diff between a file and its canonical layout, for people.

    What a terminal would obey is escaped, carriage returns too.
    """
    if before == after:
        return
    steps = list(side_by_side(before, after))
    changed = [place for place, step in enumerate(steps) if step.old != step.new]
    yield from _titles(name, "formatted")
    old = new = done = 0
    for first, end in _hunks(changed, len(steps)):
        stay = first - done  # lines between hunks are the same in both
        old, new, done = old + stay, new + stay, end
        hunk = steps[first:end]
        taken = sum(step.old is not None for step in hunk)
        given = sum(step.new is not None for step in hunk)
        yield f"@@ -{_span(old, taken)} +{_span(new, given)} @@"
        yield from _shown(hunk)
        old, new = old + taken, new + given


def any_diff(name: str, what: str, before: bytes, after: bytes) -> Iterator[str]:
    """Give the lines of a diff between any two files, for people; `what` was done to it, such as "fixed"."""
    from difflib import unified_diff as lines_of_diff

    if before == after:
        return
    old, new = ([_line("", line.raw) for line in lines(body, RFC9309)] for body in (before, after))
    yield from _titles(name, what)
    for number, line in enumerate(lines_of_diff(old, new, lineterm="")):
        if number > 1:  # the first two are titles
            yield line


def _titles(name: str, what: str) -> tuple[str, str]:
    return f"--- {printable(name)}", f"+++ {printable(name)} ({what})"


def side_by_side(before: bytes, after: bytes) -> Iterator[Step]:
    """Give the lines of a file, which is not laid out yet, with those of its layout."""
    news = [line.raw for line in lines(after, RFC9309)]
    place = 0
    for line in lines(before, RFC9309):
        blank = not line.text.removeprefix(BOM).strip()
        while not blank and place < len(news) and news[place] == b"\n":
            yield Step(None, news[place])
            place += 1
        if blank and not (place < len(news) and news[place] == b"\n"):
            yield Step(line.raw, None)
        else:
            yield Step(line.raw, news[place])
            place += 1


def _hunks(changed: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    first = last = changed[0]
    for place in changed[1:]:
        if place - last > 2 * _CONTEXT + 1:
            yield max(first - _CONTEXT, 0), last + _CONTEXT + 1
            first = place
        last = place
    yield max(first - _CONTEXT, 0), min(last + _CONTEXT + 1, count)


def _shown(hunk: Sequence[Step]) -> Iterator[str]:
    added: list[bytes] = []
    for step in hunk:
        if step.old == step.new and step.old is not None:
            yield from (_line("+", text) for text in added)
            added.clear()
            yield _line(" ", step.old)
            continue
        if step.old is not None:
            yield _line("-", step.old)
        if step.new is not None:
            added.append(step.new)
    yield from (_line("+", text) for text in added)


def _line(mark: str, text: bytes) -> str:
    if text.endswith(b"\n"):
        return mark + printable(text_of(text[:-1]))
    return f"{mark}{printable(text_of(text))}\n\\ No newline at end of file"


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
