"""Print a `Diff` for people: robots, paths and fields, in lines that fit the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...protocol.robotstxt.verdict import Rule
from ...protocol.text import counted, printable
from ..terminal import Styled, echo

if TYPE_CHECKING:
    from ...site.compare.change import Change, Diff
    from ...site.compare.field_change import FieldChange
    from ...site.compare.path_change import PathChange

#: The parts of a line.
Line = tuple[str | Styled, ...]

#: Maximum number of sets of paths, of fields, and of exceptions that are shown; --json has all.
_SHOWN = 20
_EXCEPTIONS = 3

#: Maximum number of characters of a pattern or a path.
_WIDTH = 60


def show_difference(found: "Diff", what: str = "URL") -> None:
    """Print the changes, those of the whole site first, and the robots for which nothing changes.

    `what` names the URLs that are counted.
    """
    changes = [change for change in found.changes if change or not change.exact]
    for change in sorted(changes, key=lambda change: not change.headline):
        who = found.who(change)
        echo(Styled(f"{change.headline} to {who}" if change.headline else who, bold=True))
        for line in _lines(change, found, what):
            echo("  ", *line)
        echo()
    if found.fields:
        echo(Styled("the whole file", bold=True))
        for line in _fields(found.fields):
            echo("  ", *line)
        echo()
    if found.doubt:
        echo(f"not exact: {found.doubt}")
        echo()
    same = [change for change in found.changes if not change and change.exact]
    if same:
        echo(f"nothing changes for {found.who(*same)}")


def _lines(change: "Change", found: "Diff", what: str) -> Iterator[Line]:
    sets = sorted((*change.closed, *change.opened), key=lambda paths: len(paths.witness))
    for paths in sets[:_SHOWN]:
        yield from _paths(paths)
    if len(sets) > _SHOWN:
        yield (f"and {counted(len(sets) - _SHOWN, 'more set')} of paths",)
    yield from _fields(change.fields)
    if not change:
        yield ("no change was found",)
    if found.urls is not None and change.urls_closed is not None:
        yield from ((line,) for line in change.explain_urls(found.urls, found.who(change), what))
    if change.doubt:
        yield (f"not exact: {change.doubt}",)


def _paths(paths: "PathChange") -> Iterator[Line]:
    """Yield the paths that change, an example, and the rules that decide."""
    named = [_cut(pattern, _WIDTH // 2) for pattern in paths.exceptions[:_EXCEPTIONS]]
    more = len(paths.exceptions) - len(named) + paths.unlisted_exceptions
    others = f", except {', '.join(named)}{f' and {more:,} more' if more else ''}" if named or more else ""
    verb = Styled("closes", "red") if paths.closes else Styled("opens", "green")
    yield verb, f" {' and '.join(map(_cut, paths.patterns))}{others}"
    if others or paths.patterns != (paths.path,):
        yield (f"  such as {_cut(paths.path)}",)
    deciders = f"before: {_decider(paths.old)}", f"now: {_decider(paths.new)}"
    if sum(map(len, deciders)) < _WIDTH:
        yield (f"  {'; '.join(deciders)}",)
    else:
        yield from ((f"  {decider}",) for decider in deciders)


def _fields(fields: "tuple[FieldChange, ...]") -> Iterator[Line]:
    for change in fields[:_SHOWN]:
        yield (_cut(change.explain(), 4 * _WIDTH),)
    if len(fields) > _SHOWN:
        yield (f"and {counted(len(fields) - _SHOWN, 'more change')} of fields",)


def _decider(rule: Rule | None) -> str:
    return "no rule" if rule is None else f"line {rule.line}, {_cut(str(rule))}"


def _cut(text: str, width: int = _WIDTH) -> str:
    text = printable(text)
    return text if len(text) <= width else text[: width - 3] + "..."
