"""A robots.txt before and after -> what changes, as a unified diff.

Every line of a file has its line in the canonical layout, in the same order, and only blank lines come and
go; fixes take lines away, or write them anew where they stand. So both are walked through side by side, in
time proportional to them, where a diff of any two texts would take more.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..protocol.robotstxt.dialect import RFC9309
from ..protocol.robotstxt.grammar import BOM
from ..protocol.robotstxt.lexer import lines
from ..protocol.text import printable, to_text

__all__ = ["Step", "aligned", "side_by_side", "unified_diff", "with_fixes"]

#: So many lines that stay are shown before and after those that change.
_CONTEXT = 3

#: So many pairs of lines that are alike are looked at, to align two files.
_PAIRS = 50_000

#: So many lines further a walk looks for two that are the same again.
_AHEAD = 8


class Step(NamedTuple):
    """Lines that stand side by side, with their ends; `None` where the other file has none."""

    old: bytes | None
    new: bytes | None


def unified_diff(name: str, done_to_it: str, walk: Iterable[Step]) -> Iterator[str]:
    """Give the lines of a diff for people; what a terminal would obey is escaped, carriage returns too.

    `done_to_it` says what became of the file, such as "formatted".
    """
    steps = list(walk)
    changed = [place for place, step in enumerate(steps) if step.old != step.new]
    if not changed:
        return
    yield f"--- {printable(name)}"
    yield f"+++ {printable(name)} ({done_to_it})"
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


def aligned(before: bytes, after: bytes) -> Iterator[Step]:
    """Give the lines of any two files, those that are the same side by side."""
    from difflib import SequenceMatcher

    old, new = ([line.raw for line in lines(body, RFC9309)] for body in (before, after))
    for tag, first, end, start, stop in (
        [("replace", 0, len(old), 0, len(new))]
        if _too_alike(old, new)
        else SequenceMatcher(None, old, new).get_opcodes()
    ):
        if tag == "equal":
            yield from map(Step, old[first:end], new[start:stop])
        else:
            yield from (Step(line, None) for line in old[first:end])
            yield from (Step(None, line) for line in new[start:stop])


def _too_alike(old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    """Say whether lines come so often that to align them would take far longer than reading them."""
    often = len(new) // 100 + 1 if len(new) >= 200 else len(new)  # what comes oftener, difflib passes over
    times = Counter(new)
    return sum(times[line] for line in old if times[line] <= often) > _PAIRS


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


def with_fixes(before: bytes, after: bytes) -> Iterator[Step]:
    """Give the lines of a file with those that fixes left of it; the end of a line makes none another."""
    olds, news = list(lines(before, RFC9309)), list(lines(after, RFC9309))
    left, right = ([line.text for line in side] for side in (olds, news))
    old_left, new_left = Counter(left), Counter(right)
    old = new = 0
    while old < len(left) and new < len(right):
        goes = comes = 1
        if left[old] != right[new]:
            goes, comes = _until_equal(left, right, old, new)
            if not (goes or comes):
                # One that does not come again is gone; if neither does, it was written anew.
                comes = int(not old_left[right[new]])
                goes = int(not comes or not new_left[left[old]])
        for at in range(max(goes, comes)):
            yield Step(
                olds[old + at].raw if at < goes else None,
                news[new + at].raw if at < comes else None,
            )
        old_left.subtract(left[old : old + goes])
        new_left.subtract(right[new : new + comes])
        old, new = old + goes, new + comes
    yield from (Step(line.raw, None) for line in olds[old:])
    yield from (Step(None, line.raw) for line in news[new:])


def _until_equal(left: Sequence[bytes], right: Sequence[bytes], old: int, new: int) -> tuple[int, int]:
    """Count the lines on either side up to the next that are the same, if they are near; or give 0, 0."""
    for total in range(1, _AHEAD + 1):
        for comes in range(total + 1):
            goes = total - comes
            if old + goes < len(left) and new + comes < len(right) and left[old + goes] == right[new + comes]:
                return goes, comes
    return 0, 0


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
    if text.endswith((b"\n", b"\r")):
        return mark + printable(to_text(text.removesuffix(b"\n")))
    return f"{mark}{printable(to_text(text))}\n\\ No newline at end of file"


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
