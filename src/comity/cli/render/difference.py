"""A `Diff` as people read it: who is concerned, which paths, which fields, in lines that fit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ...protocol.robotstxt.verdict import Rule, printable

if TYPE_CHECKING:
    from ...site.compare.change import Change, Diff
    from ...site.compare.field_change import FieldChange
    from ...site.compare.path_change import Shift

__all__ = ["show_difference"]

#: So many sets of paths, or fields, are shown for some robots, and so many exceptions of one; --json has all.
_SHOWN = 20
_EXCEPTIONS = 3

#: So many characters are shown of a pattern or a path.
_WIDTH = 60


def show_difference(found: "Diff", what: str = "URL") -> None:
    """Print what changes, the whole site first, and for whom nothing does; `what` are the URLs counted."""
    changes = [change for change in found.changes if change or not change.exact]
    for change in sorted(changes, key=lambda change: not change.headline):
        who = found.who(change)
        click.secho(f"{change.headline} to {who}" if change.headline else who, bold=True)
        for line in _lines(change, found, what):
            click.echo(f"  {line}")
        click.echo()
    if found.fields:
        click.secho("the whole file", bold=True)
        for line in _fields(found.fields):
            click.echo(f"  {line}")
        click.echo()
    if found.doubt:
        click.echo(f"not exact: {found.doubt}\n")
    same = [change for change in found.changes if not change and change.exact]
    if same:
        click.echo(f"nothing changes for {found.who(*same)}")


def _lines(change: "Change", found: "Diff", what: str) -> Iterator[str]:
    shifts = sorted((*change.closed, *change.opened), key=lambda shift: len(shift.witness))
    for shift in shifts[:_SHOWN]:
        yield from _shift(shift)
    if len(shifts) > _SHOWN:
        yield f"and {len(shifts) - _SHOWN:,} more sets of paths"
    yield from _fields(change.fields)
    if not change:
        yield "no change was found"
    if found.urls is not None:
        yield from change.counted(found.urls, found.who(change), what)
    if change.doubt:
        yield f"not exact: {change.doubt}"


def _shift(shift: "Shift") -> Iterator[str]:
    """Say what changes in a line, and below it by which rules."""
    named = [_cut(pattern, _WIDTH // 2) for pattern in shift.excepted[:_EXCEPTIONS]]
    more = len(shift.excepted) - len(named) + shift.unlisted
    others = f", not {', '.join(named)}{f' and {more:,} more' if more else ''}" if named or more else ""
    deed = click.style("closes", "red") if shift.closes else click.style("opens", "green")
    yield f"{deed} {' and '.join(map(_cut, shift.patterns))}{others}"
    if others or shift.patterns != (shift.path,):
        yield f"  such as {_cut(shift.path)}"
    deciders = f"before: {_decider(shift.old)}", f"now: {_decider(shift.new)}"
    if sum(map(len, deciders)) < _WIDTH:
        yield f"  {'; '.join(deciders)}"
    else:
        yield from (f"  {decider}" for decider in deciders)


def _fields(fields: "tuple[FieldChange, ...]") -> Iterator[str]:
    for change in fields[:_SHOWN]:
        yield _cut(change.explain(), 4 * _WIDTH)
    if len(fields) > _SHOWN:
        yield f"and {len(fields) - _SHOWN:,} more changes of fields"


def _decider(rule: Rule | None) -> str:
    return "no rule" if rule is None else f"line {rule.line}, {_cut(str(rule))}"


def _cut(text: str, width: int = _WIDTH) -> str:
    text = printable(text)
    return text if len(text) <= width else text[: width - 3] + "..."
