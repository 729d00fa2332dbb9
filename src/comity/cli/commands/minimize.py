"""`comity minimize`: a robots.txt without the rules that have no effect."""

import sys
from typing import TYPE_CHECKING

import click

from ...protocol import counted, printable
from .. import options
from ..inputs import display_name, read_robots
from ..terminal import echo, echo_body, echo_json

if TYPE_CHECKING:
    from ...protocol import DialectName


@click.command("minimize")
@click.argument("file", metavar="[FILE]", default="-", shell_complete=options.complete_files)
@options.check_option("Print the rules that can be removed.")
@options.dialect_option("rfc9309 and google; a rule is removed if neither needs it.")
@options.json_option()
def command(file: str, check: bool, dialect: "DialectName | None", as_json: bool) -> None:
    """Print a robots.txt without the rules that have no effect.

    The default for FILE is standard input. FILE itself is not changed. All other lines are kept, comments
    included. More rules are removed than comity lint reports: also those that decide about URLs, if the
    answer is the same without them.

    Exit status: 0 on success, 1 if --check found a rule that can be removed, 2 if the file cannot be read.
    """
    from ...site import minimize

    body = read_robots(file)
    small = minimize(body, dialect=dialect)
    if as_json:
        record = {
            "file": printable(file),
            "kept": small.kept,
            "fewest": small.fewest,
            "removed": [{"line": rule.line, "rule": printable(str(rule))} for rule in small.removed],
            "undecided": [{"line": rule.line, "rule": printable(str(rule))} for rule in small.undecided],
            "size": len(body),
            "minimized_size": len(small.body),
        }
        echo_json(record)
    elif check:
        from ...protocol import column_counter
        from ...protocol.robotstxt import parse

        lines = parse(body).lines
        for rule in small.removed:
            line = lines[rule.line - 1]
            column = column_counter(line)(line.name_start)
            echo(f"{display_name(file)}:{rule.line}:{column}: {rule}")
    else:
        echo_body(small.body)
    if small.undecided and not as_json:
        rules = counted(len(small.undecided), "rule was", "rules were")
        echo(f"Note: {rules} kept because the comparison takes too long", err=True)
    sys.exit(1 if check and small.removed else 0)
