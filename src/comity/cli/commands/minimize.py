"""`comity minimize`: a robots.txt without the rules that change no answer to any robot."""

import json
import sys

import click

from ...protocol.text import printable
from .. import options

__all__ = ["command"]


@click.command("minimize")
@click.argument("file", metavar="[FILE|-]", default="-")
@options.check_option("Print the rules that can be removed.")
@options.dialect_option("rfc9309 and google, so that neither loses a rule.")
@options.json_option()
def command(file: str, check: bool, dialect: str | None, as_json: bool) -> None:
    """Print a robots.txt without the rules that have no effect.

    FILE is left as it is; without one, standard input is read. All other lines stay, comments too.

    Exit status: 0 if all is well, 1 if --check found a rule that could go, 2 if the file cannot be read.
    """
    from ...site.compare.minimize import minimize

    name = "standard input" if file == "-" else printable(file)
    try:
        with click.open_file(file, "rb") as stream:
            body = stream.read()
    except OSError as error:
        click.echo(f"Error: cannot read {name}: {error.strerror or error}", err=True)
        sys.exit(2)
    assert isinstance(body, bytes)  # noqa: S101  # opened in binary mode
    small = minimize(body, dialect=dialect)
    if as_json:
        rules = {
            "removed": [{"line": rule.line, "rule": printable(str(rule))} for rule in small.removed],
            "undecided": [{"line": rule.line, "rule": printable(str(rule))} for rule in small.undecided],
        }
        octets = {"octets": len(body), "octets_minimized": len(small.body)}
        facts = {"file": printable(file), "kept": small.kept, "fewest": small.fewest}
        click.echo(json.dumps(facts | rules | octets))
    elif check:
        for rule in small.removed:
            click.echo(f"{name}:{rule.line}: {printable(str(rule))}")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(small.body)
    if small.undecided and not as_json:
        count = len(small.undecided)
        click.echo(
            f"Note: {count:,} more could not be decided, and stay{'s' if count == 1 else ''}", err=True
        )
    sys.exit(1 if check and small.removed else 0)
