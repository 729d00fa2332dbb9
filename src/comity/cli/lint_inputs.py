"""What `comity lint` reads: settings, baselines, and files in folders and on sites."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InvalidArgument, InvalidURL, SiteUnavailable, UnusableInput
from ..files import replace_file
from ..protocol import counted, printable
from . import options
from .inputs import read_file, unreadable, unwritable
from .terminal import echo

if TYPE_CHECKING:
    from ..desk import SiteClient
    from ..site import Baseline, Settings

#: RFC 9309 2.3.1.3; Google, on HTTP status codes; draft-koster-robots-00 3.1.
_REFUSED = (
    ". RFC 9309 and Google read the refusal like a missing file; robots of 1996 stay out. To close the site, "
    "send a robots.txt with `Disallow: /`"
)

#: RFC 9309 2.3; "A Standard for Robot Exclusion" (1994) and its guides: "all lower case".
_NAME_HINT = "robots request only robots.txt, in lower case"


def lint_settings(config: str | None, select: Sequence[str], ignore: Sequence[str]) -> "Settings":
    """Return the settings of the file, changed by the options."""
    from ..site import Settings
    from ..site.linter import settings_for, settings_in

    if not all(map(_codes, ([codes] for codes in select))):
        raise click.UsageError("--select: no code given; write one such as C301, C3, ALL or DEFAULT")
    try:
        found = settings_in(Path(config)) if config is not None else settings_for(Path.cwd())
    except OSError as error:
        raise unreadable(str(error.filename or "the working directory"), error) from None
    except InvalidArgument as error:
        raise UnusableInput(printable(str(error))) from None
    try:
        return Settings(_codes(select) or found.select, found.ignore + _codes(ignore), found.severity)
    except InvalidArgument as error:
        raise click.UsageError(f"--{printable(str(error))}; comity lint --rules lists them") from None


def _codes(lists: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for codes in lists for code in codes.split(",") if code.strip())


def known_findings(file: str | None, *, may_be_new: bool) -> "dict[str, Baseline]":
    """Return the baselines of a file by the names of the checked files; a new file has none."""
    from ..site import parse_baselines

    if file is None or (may_be_new and not Path(file).exists()):
        return {}
    try:
        return parse_baselines(read_file(file))
    except InvalidArgument as error:
        raise UnusableInput(f"{printable(file)}: {error}") from None


def baseline_key(name: str) -> str:
    """Return the name of a file in a baseline, which is the same on all systems; URLs stay."""
    return name if "://" in name else Path(os.path.normpath(name)).as_posix()


def write_baselines(file: str, known: "Mapping[str, Baseline]") -> None:
    """Write the baselines of the checked files. Raises `UnusableInput` if the file cannot be written."""
    from ..site import format_baselines

    try:
        replace_file(file, format_baselines(known).encode())
    except OSError as error:
        raise unwritable(file, error) from None
    count = sum(number for baseline in known.values() for _, _, number in baseline.entries)
    echo(f"{printable(file)}: {counted(count, 'finding')}", err=True)


def client_opener(
    urls: Sequence[str], policy: str, user_agent: str, login: options.LoginOptions
) -> "Callable[[], SiteClient] | None":
    """Return a function that creates an HTTP client for the URLs, or None if there are none."""
    if not urls:
        return None
    from . import session
    from .contact import identity_of
    from .session import credentials_of

    identity = identity_of(user_agent, None, needs_contact=False)
    credentials = credentials_of(login, urls)
    return partial(session.open_client, identity, policy, credentials, cached=False)


def read_robots_txt(
    name: str, open_client: "Callable[[], SiteClient] | None"
) -> tuple[str, bytes | None, str | None]:
    """Return the name, the body and the URL of a robots.txt. A file has no URL; a site may have no body."""
    if open_client is not None and "://" in name:
        return _fetched(name, open_client)
    path = Path(name)
    try:
        body = read_file(name)
    except UnusableInput as error:
        other = next((file for file in _files_beside(path) if _is_miscased(file)), None)
        hint = (
            f"; there is {printable(other)}, but {_NAME_HINT}" if other and path.name == "robots.txt" else ""
        )
        raise UnusableInput(f"{error}{hint}") from None
    if _is_miscased(path.name):
        echo(f"Warning: {printable(name)}: {_NAME_HINT}; rename the file", err=True)
    return name, body, None


def _is_miscased(name: str) -> bool:
    return name.lower() == "robots.txt" != name


def _files_beside(path: Path) -> list[str]:
    """Return the names of the files in a folder, sorted; none if they cannot be listed."""
    try:
        return sorted(os.listdir(path.parent))
    except OSError:
        return []


def _fetched(url: str, open_client: "Callable[[], SiteClient]") -> tuple[str, bytes | None, str]:
    from ..protocol.access import Cause, Outcome

    try:
        with open_client() as client:
            access = client.access(url, warns=False)
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    if access.outcome is Outcome.UNREACHABLE:
        raise SiteUnavailable(printable(f"{access.url}: {access.explain()}"))
    if access.outcome is not Outcome.RULES:
        meaning = _REFUSED if access.cause is Cause.FORBIDDEN else ""
        echo(f"Note: {access.url}: {access.explain()}{meaning}", err=True)
        return access.url, None, access.url
    return access.url, access.body, access.url
