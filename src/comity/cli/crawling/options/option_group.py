"""Groups of options: one decorator adds several options to a command."""

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def option_group(*options: Callable[..., Any]) -> Decorator:
    """Return a decorator that adds options to a command, in the order of the help."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return added


def listed(_context: click.Context, _option: click.Parameter, lists: tuple[str, ...]) -> tuple[str, ...]:
    """Return the items of all lists, which have commas between them: the callback of a repeated option."""
    return tuple(item.strip() for text in lists for item in text.split(","))
