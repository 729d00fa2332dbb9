"""`comity build`: one robots.txt from a plan and the fragments of many owners."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from ...errors import InvalidPlan, PlanConflict
from ...protocol.text import printable, to_text
from .. import options
from ..exit_status import UnusableInput
from ..replacing import replace_file

if TYPE_CHECKING:
    from ...site.assembly.build import Built

__all__ = ["command"]


@click.command("build")
@click.argument("path", default=".", metavar="[PATH|-]")
@click.option("--environment", metavar="NAME", help="The environment of the plan, such as staging.")
@click.option("--output", metavar="FILE", help="The file to write. Default: standard output.")
@click.option("--provenance", is_flag=True, help="Add comments that name the source file of each line.")
@options.check_option("Print how the file in --output differs.")
@options.json_option()
def command(
    path: str, environment: str | None, output: str | None, provenance: bool, check: bool, as_json: bool
) -> None:
    """Build one robots.txt from a robots.toml and fragments.

    PATH is a folder with a robots.toml, fragments in robots.d, or both; or a plan under another name; or a
    folder of fragments alone. Default: the working directory. With - the plan is read from standard input.

    With --check nothing is written: the file that --output names, or else robots.txt, is compared with what
    is built, and the difference shown.

    What owners should know although it stops nothing is told on standard error.

    Exit status: 0 if the file was built, 1 if two of its sources contradict each other, or if --check found
    another file, 2 if a source cannot be read or used.
    """
    if check and output is None:
        output = "robots.txt"
    try:
        built = _built(path, environment, provenance)
    except InvalidPlan as error:
        _refuse(error, as_json)
    except OSError as error:
        raise _unusable(error.filename or path, error) from None
    before = None if output is None else _read(output)
    stale = output is not None and before != built.body
    diff = "".join(_diff(output, before, built.body)) if output is not None and check else ""
    if as_json:
        told = {} if output is None else {"changed": stale}
        click.echo(json.dumps(_json(built, environment) | told | ({"diff": diff} if check else {})))
    else:
        for note in built.notes:
            click.echo(f"note: {note}", err=True)
    if output is None:
        if not as_json:
            sys.stdout.flush()
            sys.stdout.buffer.write(built.body)
        return
    if stale and not check:
        try:
            replace_file(output, built.body)
        except OSError as error:
            raise _unusable(output, error) from None
    if not as_json:
        click.echo(diff, nl=False)
        done = "is not what is built" if check else "was written"
        click.echo(f"{printable(output)} {done if stale else 'is up to date'}", err=True)
    sys.exit(1 if check and stale else 0)


def _built(path: str, environment: str | None, provenance: bool) -> "Built":
    from ...site.assembly.build import build

    if path != "-":
        return build(path, environment=environment, provenance=provenance)
    from tomllib import TOMLDecodeError, loads

    with click.open_file("-", "rb") as stream:
        octets = stream.read()
    try:
        plan = loads(octets.decode())
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidPlan([f"standard input: {error}"]) from None
    return build(plan, environment=environment, provenance=provenance)


def _refuse(error: InvalidPlan, as_json: bool) -> NoReturn:
    """Tell of all that is wrong, and end."""
    conflict = isinstance(error, PlanConflict)
    if as_json:
        problems: Sequence[str] = [printable(problem) for problem in error.problems]
        click.echo(json.dumps({"problems": problems, "conflict": conflict}))
    else:
        for problem in error.problems:
            click.echo(f"Error: {printable(problem)}", err=True)
    sys.exit(1 if conflict else 2)


def _read(file: str) -> bytes | None:
    """Read the file that is to be written; `None` if there is none."""
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(file, error) from None


def _diff(output: str, before: bytes | None, after: bytes) -> Iterator[str]:
    """Give the lines of what --check shows."""
    from ..changes import aligned, unified_diff

    return (f"{line}\n" for line in unified_diff(output, "built", aligned(before or b"", after)))


def _unusable(file: str, error: OSError) -> UnusableInput:
    return UnusableInput(f"{printable(str(file))}: {error.strerror or error}")


def _json(built: "Built", environment: str | None) -> dict[str, object]:
    lines = to_text(built.body).split("\n")
    return {
        "environment": environment,
        "octets": len(built.body),
        "lines": [
            {"text": printable(text), "sources": list(sources)}
            for text, sources in zip(lines, built.sources, strict=False)
        ],
        "notes": list(built.notes),
    }
