"""The command line: one file per command, imported when the command is used."""

import os
import signal
import sys
from importlib import import_module

import click

from ..protocol.robotstxt.engine import engine

__all__ = ["main", "run"]

_COMMANDS = ("agents", "build", "check", "crawl", "demo", "diff", "fetch", "fmt", "lint", "minimize")


class _Commands(click.Group):
    """Commands that are imported only when they are used, so that the program starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = import_module(f".commands.{name}", __name__).command
        assert isinstance(command, click.Command)  # noqa: S101  # each command's file defines one
        return _documented(command)


def _documented(command: click.Command) -> click.Command:
    """Set the help of a command under `python -OO`, which drops its docstring."""
    if command.help is None and command.callback:
        from .._docstrings import docstring

        command.help = docstring(command.callback.__module__, command.callback.__name__)
    return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    package_name="comity", message=f"%(prog)s %(version)s ({engine} engine)", prog_name="comity"
)
@click.pass_context
def main(context: click.Context) -> None:
    """Check, write and obey robots.txt.

    Every answer names the line that decides. comity demo shows examples. A file named - is standard input.

    Exit status: 0 allowed or clean, 1 disallowed or findings, 2 wrong usage or unusable input, 3
    unreachable site.
    """
    if os.environ.get("NO_COLOR"):  # https://no-color.org; rich follows it, and click does not
        context.color = False


_documented(main)


def run() -> None:
    """Run the command line, and exit as Unix programs do.

    An interruption and a closed pipe have the exit statuses of their signals, never 1, which means
    disallowed.
    """
    status: int | str | None = 0
    try:
        try:
            main(prog_name="comity", standalone_mode=False)
        except SystemExit as stopped:
            status = stopped.code
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = max(error.exit_code, 2)  # 1 means disallowed
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        status = 128 + signal.SIGINT
    except OSError as error:
        # The rest of the buffer cannot be written; without this, Python fails once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            status = 128 + 13  # SIGPIPE
        else:
            click.echo(f"Error: standard output: cannot be written: {error.strerror or error}", err=True)
            status = 2
    sys.exit(status)
