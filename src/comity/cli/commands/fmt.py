"""`comity fmt`: robots.txt files in their canonical layout, which changes no answer."""

import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

import click

from ...protocol.text import printable
from .. import options
from ..replacing import replace_file

__all__ = ["command"]


class Formatted(NamedTuple):
    """A file, its octets, what they should be, and why they are left as they are, if they are."""

    file: str
    before: bytes
    after: bytes
    left: str

    @property
    def changes(self) -> bool:
        """Whether the file is not yet as it should be."""
        return self.before != self.after


@click.command("fmt")
@click.argument("files", nargs=-1, metavar="FILE|-...")
@options.check_option("")
@options.diff_option("diff", "Exit as --check does.")
@options.json_option("One object per file.")
def command(files: Sequence[str], check: bool, diff: bool, as_json: bool) -> None:
    """Put robots.txt files into the canonical layout, in place.

    Without any FILE it is robots.txt. With - for a FILE, standard input is formatted to standard output.

    Rules, comments, and lines that nobody understands stay, in their order, and every robot reads the same
    as before, by whichever standard. A file of more than 500 KiB, before or after, and one in UTF-16 is left
    as it is, and told of.

    Exit status: 0 if all is well, also where files were changed; 1 if --check or --diff found a file that
    would change; 2 if a file cannot be read or written.
    """
    files = files or ("robots.txt",)
    if files.count("-") > 1:
        raise click.UsageError("standard input can be read once")
    writes = not (check or diff)
    if as_json and writes and "-" in files:
        raise click.UsageError("standard output is either the formatted file or JSON; add --check")
    changed = unchanged = failed = 0
    for file in files:
        try:
            formatted = _formatted(file)
            if writes and file != "-" and formatted.changes:
                replace_file(file, formatted.after)
        except OSError as error:
            failed += 1
            click.echo(f"Error: {printable(file)}: {error.strerror or error}", err=True)
            continue
        changed += formatted.changes
        unchanged += not formatted.changes
        _show(formatted, diff=diff, as_json=as_json, writes=writes)
    if list(files) != ["-"] and not as_json:
        click.echo(_summary(changed, unchanged, failed, writes=writes), err=True)
    sys.exit(2 if failed else 1 if changed and not writes else 0)


def _formatted(file: str) -> Formatted:
    from ...site.formatting.layout import format_or_reason

    with click.open_file(file, "rb") as stream:
        body = stream.read()
    assert isinstance(body, bytes)  # noqa: S101  # opened in binary mode
    return Formatted(file, body, *format_or_reason(body))


def _show(formatted: Formatted, *, diff: bool, as_json: bool, writes: bool) -> None:
    """Tell of one file: its diff, its JSON, or its name if it changes."""
    name = "standard input" if formatted.file == "-" else printable(formatted.file)
    if as_json:
        facts = {"file": printable(formatted.file), "changed": formatted.changes, "left": formatted.left}
        octets = {"octets": len(formatted.before), "octets_formatted": len(formatted.after)}
        click.echo(json.dumps(facts | octets | ({"diff": _diff(formatted)} if diff else {})))
        return
    if formatted.left:
        click.echo(f"{name}: {formatted.left}; left as it is", err=True)
    if diff:
        click.echo(_diff(formatted), nl=False)
    elif formatted.file == "-" and writes:
        sys.stdout.flush()
        sys.stdout.buffer.write(formatted.after)
    elif formatted.changes:
        click.echo(f"{'changed' if writes else 'would change'} {name}", err=True)


def _diff(formatted: Formatted) -> str:
    from ..changes import side_by_side, unified_diff

    name = "standard input" if formatted.file == "-" else formatted.file
    walk = side_by_side(formatted.before, formatted.after) if formatted.changes else ()
    return "".join(f"{line}\n" for line in unified_diff(name, "formatted", walk))


def _summary(changed: int, unchanged: int, failed: int, *, writes: bool) -> str:
    counts = (
        (changed, "changed" if writes else "would change"),
        (unchanged, "unchanged"),
        (failed, "failed"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    total = changed + unchanged + failed
    return f"{total:,} file{'' if total == 1 else 's'}: {told}"
