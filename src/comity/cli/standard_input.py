"""Open a file or standard input, named `-`, for reading bytes."""

import sys
from contextlib import AbstractContextManager
from typing import BinaryIO, cast

import click

from .exit_status import UnusableInput


def open_input(file: str) -> AbstractContextManager[BinaryIO]:
    """Open a file or standard input. Raises `OSError`, and `UnusableInput` if standard input is closed."""
    if file == "-" and sys.stdin is None:
        raise UnusableInput("standard input: it is closed")
    return cast("AbstractContextManager[BinaryIO]", click.open_file(file, "rb"))
