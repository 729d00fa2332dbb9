"""The error of an input that no command can use, with an exit status of its own."""

import click

__all__ = ["Unusable"]


class Unusable(click.ClickException):
    """An input that cannot be used, which is no answer and no finding: the exit status is not that of one."""

    exit_code = 2
