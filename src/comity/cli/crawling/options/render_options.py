"""Options of a crawl about pages that are rendered in a browser, and the browser of a run."""

import asyncio
import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import click

from ...._extras import install_hint
from ....protocol import printable
from ...terminal import echo
from .option_group import option_group

render_options = option_group(
    click.option(
        "--render",
        is_flag=True,
        help="Run the scripts of HTML pages in a browser, and store the pages as they are then.",
    ),
    click.option(
        "--browser",
        metavar="PATH",
        help="The Chromium for --render. Default: Playwright's own, or the system's.",
    ),
)


def browser_of(options: Mapping[str, Any], program: str | None) -> str | None:
    """Return the path of the browser for a job with these options; None if it renders no pages.

    Raises `click.UsageError` if there is no browser that starts.
    """
    if not options.get("render"):
        if program is not None:
            raise click.UsageError("--browser needs --render")
        return None
    if find_spec("playwright") is None:
        raise click.UsageError(f"--render needs Playwright; {install_hint('playwright')}")
    if program is not None and not (os.path.isfile(program) and os.access(program, os.X_OK)):
        raise click.UsageError(f"--browser: {printable(program)} is not a program")
    from ....crawl.rendering import BrowserUnavailable, find_browser, is_root

    try:
        found = asyncio.run(find_browser(program))
    except BrowserUnavailable as error:
        hint = "run `playwright install chromium`, or name another Chromium with --browser PATH"
        raise click.UsageError(f"--render: {printable(str(error))}; {hint}") from None
    if is_root():
        echo("Chromium has no sandbox for root; let an ordinary user render pages of strangers", err=True)
    return found
