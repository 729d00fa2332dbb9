"""The command line: one file per command, imported when it is asked for."""

from importlib import import_module

import click

__all__ = ["main"]

_COMMANDS = ("check", "demo")


class _Commands(click.Group):
    """Commands that are imported only when they are used, so that starting stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = import_module(f".{name}", __name__).command
        assert isinstance(command, click.Command)  # noqa: S101  # each command's file defines one
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="comity", prog_name="comity")
def main() -> None:
    """Read robots.txt exactly, and say why.

    Exit status: 0 allowed, 1 disallowed, 2 wrong usage or unreadable input.
    """
