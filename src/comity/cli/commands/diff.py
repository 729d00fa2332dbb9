"""`comity diff`: what changes for robots when one robots.txt replaces another."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from ...errors import InvalidURL
from ...protocol.access.outcome import Cause, Outcome
from ...protocol.text import printable
from ...protocol.userinfo import without_password
from .. import options
from ..exit_status import UnreachableSite, UnusableInput
from ..inputs import display_name, read_file, unreadable
from ..render.difference import show_difference
from ..standard_input import open_input
from ..terminal import echo, echo_json, is_terminal

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.status import Status

    from ...protocol.option_names import DialectName
    from ..site_client import SiteClient
    from ..sitemaps import Source

#: Number of bytes read at once.
_PART = 1 << 16


@click.command("diff")
@click.argument("old", metavar="OLD", shell_complete=options.complete_files)
@click.argument("new", metavar="NEW", shell_complete=options.complete_files)
@options.agent_option(
    "A single known token includes its fallback: without its own group, Googlebot-Image uses that of "
    "Googlebot. "
    "Default: each robot that a file names, and *, any other robot."
)
@options.urls_option(
    "A sitemap or a sitemap index works too, as a file or a URL. The URLs that change are counted."
)
@options.dialect_option("google for Google's robots, rfc9309 for all others, and both for *.")
@options.policy_option
@options.sender_options("--urls needs it once to fetch sitemaps; it is stored.")
@options.login_options
@options.json_option()
def command(
    old: str,
    new: str,
    agents: Sequence[str],
    urls_files: Sequence[str],
    dialect: "DialectName | None",
    policy: str,
    sender: options.Sender,
    login: options.LoginOptions,
    as_json: bool,
) -> None:
    """Show what changes for robots when NEW replaces OLD.

    OLD and NEW are files, - for standard input, or URLs. A URL means the robots.txt of its site.

    The files are compared by meaning, so rules that are only reordered or rewritten do not count. Each set of
    paths that changes is shown with a shortest path, and with the rules that decide in both files. Changes
    of other fields follow, such as delays and sitemaps.

    Exit status: 0 if nothing changes, 1 if something changes or may change, 2 if an input is unusable, 3 if
    the robots.txt of a site is unreachable.
    """
    if [old, new, *urls_files].count("-") > 1:
        raise click.UsageError("only one of OLD, NEW and --urls can be - for standard input")
    names = [options.agent_names(agent) for agent in agents]
    robots = [name[0] if len(name) == 1 else name for name in names] or None
    from ...site.compare.diff import diff

    with ExitStack() as stack:
        inputs = [name for name in (old, new, *urls_files) if "://" in name]
        web = _Web(stack, inputs, policy, sender, login)
        if any("://" in name for name in urls_files):
            web.client(downloads=True)  # all requests name the contact, or none is sent
        text_files: list[str] = []
        bodies = [_body(file, web) for file in (old, new)]
        status = stack.enter_context(_progress())
        urls = _with_progress(_urls(urls_files, web, text_files), status) if urls_files else None
        found = diff(bodies[0], bodies[1], agents=robots, dialect=dialect, urls=urls)
    if as_json:
        echo_json(found.record())
    else:
        show_difference(found, "URL" if text_files else "sitemap URL")
    if found.not_urls:
        total = found.not_urls + (found.urls or 0)
        echo(f"Note: {found.not_urls:,} of {total:,} lines of --urls skipped: not a valid URL", err=True)
    sys.exit(1 if found or not found.exact else 0)


class _Web:
    """Creates the HTTP client when it is first needed, because loading it takes time."""

    def __init__(
        self,
        stack: ExitStack,
        urls: Sequence[str],
        policy: str,
        sender: options.Sender,
        login: options.LoginOptions,
    ) -> None:
        self._stack = stack
        self._urls = urls
        self._policy = policy
        self._sender = sender
        self._login = login
        self._client: SiteClient | None = None

    def client(self, *, downloads: bool = False) -> "SiteClient":
        """Return the client. Downloads of more than robots.txt need a contact."""
        if self._client is None or (downloads and not self._client.names_contact):
            from ..contact import identity_of
            from ..credentials import Credentials
            from ..site_client import SiteClient

            identity = identity_of(*self._sender, needs_contact=downloads)
            credentials = Credentials(self._login, self._urls)
            client = SiteClient(identity, self._policy, credentials, cached=False)
            self._client = self._stack.enter_context(client)
        return self._client


def _body(file: str, web: _Web) -> bytes:
    if "://" not in file:
        return _usable(read_file(file), display_name(file))
    try:
        access = web.client().access(file)
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    if access.cause is Cause.NO_POLICY:
        raise UnusableInput(f"{printable(without_password(file))}: {access.cause.sentence}")
    if access.outcome is Outcome.UNREACHABLE:
        raise UnreachableSite(printable(f"{access.url}: {access.explain()}"))
    if access.outcome is not Outcome.RULES:
        echo(f"Note: {access.url}: {access.explain()}", err=True)
        return b""
    return _usable(access.body, printable(access.url))


def _usable(body: bytes, name: str) -> bytes:
    """Return the body. Raise `UnusableInput` if it is another kind of file and has no group."""
    from ...protocol.robotstxt.diagnostics.file import is_utf16
    from ...protocol.robotstxt.document import parse
    from ...protocol.robotstxt.grammar import BOM

    if body[:1024].removeprefix(BOM).lstrip()[:1] in (b"<", b"{"):
        kind = "a web page or JSON"
    elif is_utf16(body):
        kind = "UTF-16"
    else:
        return body
    # Only the Google dialect finds rules in a line such as `<p>User-agent: *`.
    if not parse(body, dialect="google").groups:
        raise UnusableInput(f"{name}: {kind}, not a robots.txt; for a file without rules, pass an empty file")
    echo(f"Note: {name}: {kind}; only the lines that robots read as rules are compared", err=True)
    return body


def _parts(file: str) -> Iterator[bytes]:
    try:
        with open_input(file) as stream:
            while part := stream.read(_PART):
                yield part
    except OSError as error:
        raise unreadable(file, error) from None


def _urls(files: Iterable[str], web: _Web, text_files: list[str]) -> Iterator[str]:
    """Yield the URLs of all files as they are read; add the names of files that are not sitemaps."""
    from ...site.compare.url_impact import is_url
    from ..sitemaps import urls_of

    for file in files:
        source = _source(file, web)
        found = False
        try:
            for url in urls_of(source, partial(_listed, file, web), text_files):
                found = found or is_url(url)
                yield url
        except InvalidURL as error:
            raise UnusableInput(printable(str(error))) from None
        if not found:
            raise UnusableInput(f"{source.name}: no URL found")


def _source(file: str, web: _Web) -> "Source":
    from ..sitemaps import Source

    def parts() -> Iterator[bytes]:
        return web.client(downloads=True).download(file) if "://" in file else _parts(file)

    return Source(display_name(file), parts)


def _listed(index: str, web: _Web, entry: str) -> "Source":
    """Return a sitemap of an index. Only an index in a file may list files, in its folder or below."""
    from ..sitemaps import absolute, beside

    if "://" in index:
        return _source(absolute(index, entry), web)
    if "://" in entry:
        return _source(entry, web)
    found = None if index == "-" else beside(index)(entry)
    if found is None:
        raise UnusableInput(f"{display_name(index)}: {printable(entry)!r} is not a file in its folder")
    return _source(str(found), web)


def _progress() -> "AbstractContextManager[Status | None]":
    """Show a status, if standard error is a terminal and standard output is not."""
    if not is_terminal(sys.stderr) or is_terminal(sys.stdout):
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status("comparing")


def _with_progress(urls: Iterable[str], status: "Status | None") -> Iterator[str]:
    for number, url in enumerate(urls, 1):
        if status is not None and number % 10_000 == 0:
            status.update(f"comparing: {number:,} URLs")
        yield url
