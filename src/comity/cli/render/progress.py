"""Progress on standard error, for a person at a terminal."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO

from ..standard_input import open_input
from ..terminal import is_terminal, shown

#: Smallest size, in bytes, of a file that takes longer than a second.
_LARGE = 4_000_000


def open_with_progress(file: str) -> AbstractContextManager[BinaryIO]:
    """Open a file or standard input for reading, with a progress bar if the file is large.

    The bar is shown only if standard error is a terminal and standard output is not.
    """
    visible = is_terminal(sys.stderr) and not is_terminal(sys.stdout)
    if file == "-" or not visible or os.path.getsize(file) < _LARGE:
        return open_input(file)
    from rich import progress
    from rich.console import Console

    return progress.open(file, "rb", description="checking", console=Console(stderr=True), transient=True)


def waiting(message: str) -> AbstractContextManager[object]:
    """Show a message with a spinner while the context lasts, if standard error is a terminal."""
    if not is_terminal(sys.stderr):
        return nullcontext()
    from rich.console import Console
    from rich.markup import escape

    return Console(stderr=True).status(escape(shown(message)))
