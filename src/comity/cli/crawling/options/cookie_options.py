"""Options of a crawl about cookies."""

from collections.abc import Callable
from functools import wraps
from http.cookiejar import CookieJar
from typing import Any

import click

from ....errors import UnusableInput
from ....protocol import printable
from ...inputs import display_name, read_file
from ...options import complete_files


def cookie_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command receives them as one parameter `cookies`, a jar or None."""

    @wraps(command)
    def with_cookies(load_cookies: str | None, accept_cookies: bool, **values: Any) -> Any:
        return command(cookies=_jar(load_cookies, accept_cookies), **values)

    with_cookies = click.option(
        "--accept-cookies",
        is_flag=True,
        help="Keep the cookies of responses until the run ends, and send them to their sites.",
    )(with_cookies)
    return click.option(
        "--load-cookies",
        metavar="FILE",
        shell_complete=complete_files,
        help="Send the cookies of this file (cookies.txt), such as those of a login. It is not stored.",
    )(with_cookies)


def _jar(file: str | None, accept: bool) -> CookieJar | None:
    """Return a jar with the cookies of a file; raises `UnusableInput` for an invalid file."""
    if file is None and not accept:
        return None
    from ....crawl.session import file_cookies
    from ....crawl.session.cookie_jar import cookie_jar

    if file is None:
        return cookie_jar()
    try:
        return cookie_jar(file_cookies(read_file(file).decode()))
    except UnicodeDecodeError:
        raise UnusableInput(f"{display_name(file)}: not a text in UTF-8") from None
    except ValueError as error:
        raise UnusableInput(f"{display_name(file)}: {printable(str(error))}") from None
