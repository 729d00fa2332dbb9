"""Unified diffs of a robots.txt before and after a change.

Formatting and fixing keep the order of lines: formatting adds and removes only blank lines, and fixes remove
or rewrite lines in place. So both versions are aligned in linear time. A diff of any two files takes longer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...protocol import BOM, printable, robots_lines, to_text
from ...protocol.robotstxt import RFC9309

#: Number of unchanged lines shown before and after a change.
_CONTEXT = 3

#: Maximum number of pairs of equal lines in two files that are aligned.
_PAIRS = 50_000

#: Number of lines ahead that are searched for the next equal pair.
_AHEAD = 8


class Step(NamedTuple):
    """A line of the old file and its counterpart in the new one, with line ends; None if it has none."""

    old: bytes | None
    new: bytes | None


def unified_diff(name: str, change: str, steps: Iterable[Step]) -> Iterator[str]:
    """Yield the lines of a unified diff, with control characters escaped, carriage returns included.

    `change` describes the new version, such as "formatted".
    """
    steps = list(steps)
    changed = [place for place, step in enumerate(steps) if step.old != step.new]
    if not changed:
        return
    yield f"--- {printable(name)}"
    yield f"+++ {printable(name)} ({change})"
    old = new = done = 0
    for first, end in _hunks(changed, len(steps)):
        skipped = first - done  # lines between hunks are equal in both files
        old, new, done = old + skipped, new + skipped, end
        hunk = steps[first:end]
        old_count = sum(step.old is not None for step in hunk)
        new_count = sum(step.new is not None for step in hunk)
        yield f"@@ -{_span(old, old_count)} +{_span(new, new_count)} @@"
        yield from _hunk_lines(hunk)
        old, new = old + old_count, new + new_count


def align(before: bytes, after: bytes) -> Iterator[Step]:
    """Yield the lines of any two files, equal lines side by side."""
    from difflib import SequenceMatcher

    old, new = ([line.raw for line in robots_lines(body, RFC9309)] for body in (before, after))
    for tag, first, end, start, stop in (
        [("replace", 0, len(old), 0, len(new))]
        if _is_too_repetitive(old, new)
        else SequenceMatcher(None, old, new).get_opcodes()
    ):
        if tag == "equal":
            yield from map(Step, old[first:end], new[start:stop])
        else:
            yield from (Step(line, None) for line in old[first:end])
            yield from (Step(None, line) for line in new[start:stop])


def _is_too_repetitive(old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    """Return whether lines repeat so often that aligning them takes far longer than reading them."""
    limit = len(new) // 100 + 1 if len(new) >= 200 else len(new)  # difflib ignores more frequent lines
    count = Counter(new)
    return sum(count[line] for line in old if count[line] <= limit) > _PAIRS


def align_formatted(before: bytes, after: bytes) -> Iterator[Step]:
    """Yield the lines of a file side by side with those of its canonical layout."""
    new_lines = [line.raw for line in robots_lines(after, RFC9309)]
    place = 0
    for line in robots_lines(before, RFC9309):
        blank = not line.text.removeprefix(BOM).strip()
        while not blank and place < len(new_lines) and new_lines[place] == b"\n":
            yield Step(None, new_lines[place])
            place += 1
        if blank and not (place < len(new_lines) and new_lines[place] == b"\n"):
            yield Step(line.raw, None)
        else:
            yield Step(line.raw, new_lines[place])
            place += 1


def align_fixed(before: bytes, after: bytes) -> Iterator[Step]:
    """Yield the lines of a file side by side with those of the fixed file; line ends are ignored."""
    old_lines, new_lines = list(robots_lines(before, RFC9309)), list(robots_lines(after, RFC9309))
    left, right = ([line.text for line in side] for side in (old_lines, new_lines))
    old_left, new_left = Counter(left), Counter(right)
    old = new = 0
    while old < len(left) and new < len(right):
        removed = added = 1
        if left[old] != right[new]:
            removed, added = _until_equal(left, right, old, new)
            if not (removed or added):
                # A line without a later counterpart was removed or added; if neither has one, rewritten.
                added = int(not old_left[right[new]])
                removed = int(not added or not new_left[left[old]])
        for at in range(max(removed, added)):
            yield Step(
                old_lines[old + at].raw if at < removed else None,
                new_lines[new + at].raw if at < added else None,
            )
        old_left.subtract(left[old : old + removed])
        new_left.subtract(right[new : new + added])
        old, new = old + removed, new + added
    yield from (Step(line.raw, None) for line in old_lines[old:])
    yield from (Step(None, line.raw) for line in new_lines[new:])


def _until_equal(left: Sequence[bytes], right: Sequence[bytes], old: int, new: int) -> tuple[int, int]:
    """Return the number of lines on either side before the next equal pair, or 0, 0 if none is near."""
    for total in range(1, _AHEAD + 1):
        for added in range(total + 1):
            one, other = old + total - added, new + added
            if one < len(left) and other < len(right) and left[one] == right[other]:
                return total - added, added
    return 0, 0


def _hunks(changed: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    first = last = changed[0]
    for place in changed[1:]:
        if place - last > 2 * _CONTEXT + 1:
            yield max(first - _CONTEXT, 0), last + _CONTEXT + 1
            first = place
        last = place
    yield max(first - _CONTEXT, 0), min(last + _CONTEXT + 1, count)


def _hunk_lines(hunk: Sequence[Step]) -> Iterator[str]:
    added: list[bytes] = []
    for step in hunk:
        if step.old == step.new and step.old is not None:
            for text in added:
                yield from _line("+", text)
            added.clear()
            yield from _line(" ", step.old)
            continue
        if step.old is not None:
            yield from _line("-", step.old)
        if step.new is not None:
            added.append(step.new)
    for text in added:
        yield from _line("+", text)


def _line(mark: str, text: bytes) -> Iterator[str]:
    if text.endswith((b"\n", b"\r")):
        yield mark + printable(to_text(text.removesuffix(b"\n")))
    else:
        yield mark + printable(to_text(text))
        yield "\\ No newline at end of file"


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
