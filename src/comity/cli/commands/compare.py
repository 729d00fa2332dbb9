"""`comity compare`: the answers of other parsers about a robots.txt, and why Comity's differ."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ...errors import UnusableInput
from ...protocol import to_text
from ...protocol.robotstxt import parse
from .. import options
from ..inputs import display_name, read_file, url_problem
from ..terminal import Styled, bounded, echo, echo_json

if TYPE_CHECKING:
    from ...compat.disagreement import Comparison, Disagreement
    from ...protocol import DialectName


_LISTS = "A sitemap, CSV with --column, and gzip work too."


@click.command("compare")
@click.argument("files", nargs=-1, metavar="FILE...", required=True, shell_complete=options.complete_files)
@click.option(
    "--with",
    "libraries",
    metavar="NAME",
    multiple=True,
    required=True,
    help="The parser to compare with: protego, urllib, robotspy or robotexclusionrulesparser. Write several "
    "with commas, or repeat the option. Its library must be installed.",
)
@options.agent_option("Default: each robot that the file names, *, and a robot that it does not name.")
@options.urls_option(f"{_LISTS} They are asked about in addition to URLs that are made from the rules.")
@options.column_option
@options.dialect_option("rfc9309.")
@options.json_option("One object per file and parser.")
def command(
    files: Sequence[str],
    libraries: Sequence[str],
    agents: Sequence[str],
    urls_files: Sequence[str],
    column: str | None,
    dialect: "DialectName | None",
    as_json: bool,
) -> None:
    """Compare the answers with those of other installed parsers.

    Each difference is shown with the line of FILE and the section of the standard that decides, if the
    cause is found: without it, the other parser must agree. Another parser has 10 seconds for a file.

    Exit status: 0 if all answers are the same, 1 if one differs or a parser fails, 2 if a file or a library
    is missing.
    """
    if [*files, *urls_files].count("-") > 1:
        raise click.UsageError("only one FILE or --urls can be - for standard input")
    options.check_column(column, urls_files)
    names = _names(libraries)
    for agent in agents:
        if len(options.agent_names(agent)) > 1:
            raise click.UsageError(f"--agent {agent!r}: other parsers take one name")
    from ...compat.disagreement import disagreements
    from ..inputs import listed_urls

    urls = [_url(given.url, given.location) for given in listed_urls(urls_files, column=column)]
    different = False
    for file in files:
        body = read_file(file)
        for name in names:
            found = disagreements(body, name, agents=agents or None, dialect=dialect, urls=urls)
            different = different or bool(found)
            if as_json:
                echo_json(bounded({"file": file, **found.record()}))
            else:
                _show(file, body, found)
    sys.exit(1 if different else 0)


def _names(libraries: Sequence[str]) -> list[str]:
    """Return the parsers of `--with`. Raise an error if one is unknown or not installed."""
    from ...compat.disagreement import PARSERS, missing_package

    names = list(dict.fromkeys(name.strip().lower() for each in libraries for name in each.split(",")))
    for name in names:
        if name not in PARSERS:
            expected = f"{', '.join(PARSERS[:-1])} or {PARSERS[-1]}"
            raise click.UsageError(f"--with: unknown parser {name!r}: expected {expected}")
        if package := missing_package(name):
            raise UnusableInput(f"--with {name}: not installed; run: pip install {package}")
    return names


def _url(url: str, location: str) -> str:
    if problem := url_problem(url):
        raise UnusableInput(f"{location}{problem}")
    return url


def _show(file: str, body: bytes, found: "Comparison") -> None:
    lines = parse(body).lines
    for each in found.disagreements:
        place = f"{display_name(file)}:{each.line or ''}".rstrip(":")
        echo(Styled(place, bold=True), f": {each.summary()}{_others(each)}")
        if each.line:
            echo(f"  {each.line} | {to_text(lines[each.line - 1].text).strip()}")
        echo(f"  {each.section}: {each.clause}" if each.section else f"  {each.clause}")
    if found.more:
        echo(f"{display_name(file)}: further differences from {found.parser} are not listed")
    if found.problem:
        echo(f"Error: {display_name(file)}: {found.parser}: {found.problem}", err=True)
    count = len(found.disagreements)
    differences = f"{count or 'no'} difference{'s' if count > 1 else ''}"
    echo(f"{display_name(file)}: {found.parser}: {found.questions:,} questions, {differences}")


def _others(found: "Disagreement") -> str:
    """Return the number of further questions with the same difference."""
    return f" (and {found.count - 1:,} more)" if found.count > 1 else ""
