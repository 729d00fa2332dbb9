"""The command line: one file per command, imported when it is asked for."""

import os
import signal
import sys
from importlib import import_module

import click

from ..protocol.robotstxt.engine import engine

__all__ = ["main", "run"]

_COMMANDS = ("agents", "build", "check", "crawl", "demo", "diff", "fetch", "fmt", "lint", "minimize")


class _Commands(click.Group):
    """Commands that are imported only when they are used, so that starting stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = import_module(f".commands.{name}", __name__).command
        assert isinstance(command, click.Command)  # noqa: S101  # each command's file defines one
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    package_name="comity", message=f"%(prog)s %(version)s ({engine} engine)", prog_name="comity"
)
@click.pass_context
def main(context: click.Context) -> None:
    """Read robots.txt exactly, and say why.

    Exit status: 0 allowed, 1 disallowed, 2 wrong usage or unreadable input, 3 unreachable.
    """
    if os.environ.get("NO_COLOR"):  # https://no-color.org; rich goes by it already, and click does not
        context.color = False


def run() -> None:
    """Run the command line, and end as a Unix program does.

    An interruption and a closed pipe have the exit statuses of their signals: never 1, which means
    that something is disallowed.
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
        status = max(error.exit_code, 2)  # 1 means that something is disallowed
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        status = 128 + signal.SIGINT
    except OSError as error:
        # What is left in the buffer has nowhere to go: Python would fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            status = 128 + 13  # nobody reads on
        else:
            click.echo(f"Error: cannot write: {error.strerror or error}", err=True)
            status = 2
    sys.exit(status)
