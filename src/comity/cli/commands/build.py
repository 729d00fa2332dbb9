"""`comity build`: one robots.txt from a plan and the fragments of several owners."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from ...errors import InvalidPlan, PlanConflict
from ...protocol.text import printable, to_text
from ...protocol.userinfo import without_password
from .. import options
from ..atomic_write import replace_file
from ..inputs import read_file, unreadable, unwritable
from ..render.problems import echo_problems
from ..terminal import echo, echo_body, echo_json, echo_lines

if TYPE_CHECKING:
    from ...site.assembly.build import Built

#: Maximum number of problems in JSON; the rest are only counted.
_MAX_PROBLEMS = 10_000


@click.command("build")
@click.argument("path", default=".", metavar="[PATH]", shell_complete=options.complete_files)
@click.option("--environment", metavar="NAME", help="The environment of the plan, such as staging.")
@click.option(
    "--output",
    metavar="FILE",
    shell_complete=options.complete_files,
    help="The file to write. Default: standard output.",
)
@click.option("--provenance", is_flag=True, help="Add comments that name the source file of each line.")
@options.check_option("Print how the file in --output differs, by default robots.txt.")
@options.json_option()
def command(
    path: str, environment: str | None, output: str | None, provenance: bool, check: bool, as_json: bool
) -> None:
    """Build one robots.txt from a robots.toml and fragments.

    PATH is a folder with robots.toml, with fragments in robots.d, or both. It may also be a plan with another
    name, a folder of fragments, or - for a plan on standard input. Default: the working directory.

    Notes for the owners go to standard error.

    Exit status: 0 if the file was built, 1 if sources contradict each other or --check found a difference, 2
    if a source is missing or invalid.
    """
    if check and output is None:
        output = "robots.txt"
    try:
        built = _build(path, environment, provenance)
    except InvalidPlan as error:
        _report_problems(error, as_json)
    except OSError as error:
        # As a path, a URL has one slash less, so that its password would not be found.
        name = without_password(path) if "://" in path else str(error.filename or path)
        raise unreadable(name, error) from None
    before = None if output is None else _read(output)
    changed = output is not None and before != built.body
    diff = _diff(output, before, built.body) if output is not None and check else ""
    if as_json:
        optional = ({} if output is None else {"changed": changed}) | ({"diff": diff} if check else {})
        echo_json(_json(built, environment) | optional)
    else:
        echo_problems(built.notes, label="Note")
    if output is None:
        if not as_json:
            echo_body(built.body)
        return
    if changed and not check:
        try:
            replace_file(output, built.body)
        except OSError as error:
            raise unwritable(output, error) from None
    if not as_json:
        if diff:
            echo_lines(diff.removesuffix("\n"))
        state = "is up to date" if not changed else "differs from the result" if check else "was written"
        echo(f"{output} {state}", err=True)
    sys.exit(1 if check and changed else 0)


def _build(path: str, environment: str | None, provenance: bool) -> "Built":
    from ...site.assembly.build import build

    if path != "-":
        return build(path, environment=environment, provenance=provenance)
    from ...site.source_file import parse_toml

    body = read_file(path)
    try:
        plan = parse_toml(body)
    except ValueError as error:
        raise InvalidPlan([f"standard input: {error}"]) from None
    return build(plan, environment=environment, provenance=provenance)


def _report_problems(error: InvalidPlan, as_json: bool) -> NoReturn:
    conflict = isinstance(error, PlanConflict)
    if as_json:
        problems = [printable(problem) for problem in error.problems[:_MAX_PROBLEMS]]
        omitted = len(error.problems) - len(problems)
        echo_json({"problems": problems, "omitted": omitted, "conflict": conflict})
    else:
        echo_problems(error.problems, label="Error")
    sys.exit(1 if conflict else 2)


def _read(file: str) -> bytes | None:
    """Return the current content of the output file, or None if there is no file."""
    from ...site.source_file import read_regular

    try:
        return read_regular(Path(file))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(file, error) from None


def _diff(output: str, before: bytes | None, after: bytes) -> str:
    from ..line_diff import align, unified_diff

    return "".join(f"{line}\n" for line in unified_diff(output, "built", align(before or b"", after)))


def _json(built: "Built", environment: str | None) -> dict[str, object]:
    lines = to_text(built.body).split("\n")
    return {
        "environment": environment,
        "size": len(built.body),
        "lines": [
            {"text": printable(text), "sources": list(sources)}
            for text, sources in zip(lines, built.sources, strict=False)
        ],
        "notes": list(built.notes),
    }
