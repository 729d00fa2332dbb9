"""`comity diff`: what changes for robots when one robots.txt takes the place of another."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from ...errors import InvalidURL
from ...protocol.access.outcome import Cause, Outcome
from ...protocol.text import printable
from .. import options
from ..exit_status import UnreachableSite, UnusableInput
from ..render.difference import show_difference

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.status import Status

    from ..site_client import SiteClient
    from ..sitemaps import Source

__all__ = ["command"]

#: So much of a file is read at once.
_PART = 1 << 16


@click.command("diff")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.agent_option(
    "A single token falls back to another one if that is known, as Googlebot-Image to Googlebot. "
    "Default: the robots that either file names, and *, any robot that is not named."
)
@options.urls_option("It may be a sitemap or a sitemap index, and the URL of one. Count how many change.")
@options.dialect_option("google for Google's robots, rfc9309 for all others, and both for *.")
@options.user_agent_option
@options.json_option()
def command(
    old: str,
    new: str,
    agents: Sequence[str],
    urls_files: Sequence[str],
    dialect: str | None,
    user_agent: str,
    as_json: bool,
) -> None:
    """Show what changes for robots when NEW replaces OLD.

    OLD and NEW are files, - for standard input, or any URL of a site, whose robots.txt is asked for. The
    text does not matter, only what it means. Each set of paths that changes is shown with the rules that
    decide in either file, and with a shortest path. Then come the other fields that change: delays, times,
    preferences of use, sitemaps.

    Exit status: 0 if nothing changes, 1 if something does or may, 2 if a file cannot be read, is a web page
    without any rule for robots, or has no URL to count, 3 if a site's robots.txt is unreachable.
    """
    if [old, new, *urls_files].count("-") > 1:
        raise click.UsageError("standard input can be only one of the files")
    names = [options.agent_names(agent) for agent in agents]
    asked = [name[0] if len(name) == 1 else name for name in names] or None
    from ...site.compare.diff import diff

    with ExitStack() as stack:
        web = _Web(stack, user_agent)
        texts: list[str] = []
        bodies = [_body(file, web) for file in (old, new)]
        status = stack.enter_context(_watched())
        urls = _counted(_urls(urls_files, web, texts), status) if urls_files else None
        found = diff(bodies[0], bodies[1], agents=asked, dialect=dialect, urls=urls)
    if as_json:
        click.echo(json.dumps(found.record()))
    else:
        show_difference(found, "URL" if texts else "sitemap URL")
    if found.not_urls:
        total = found.not_urls + (found.urls or 0)
        are = "is no URL" if found.not_urls == 1 else "are no URLs"
        click.echo(f"Note: {found.not_urls:,} of the {total:,} that --urls gives {are}", err=True)
    sys.exit(1 if found or not found.exact else 0)


class _Web:
    """What asks sites, once something is a URL: loading the HTTP client takes its time."""

    def __init__(self, stack: ExitStack, user_agent: str) -> None:
        self._stack = stack
        self._user_agent = user_agent
        self._client: SiteClient | None = None

    @property
    def client(self) -> "SiteClient":
        if self._client is None:
            from ..site_client import SiteClient

            self._client = self._stack.enter_context(SiteClient(self._user_agent, "rfc9309", cached=False))
        return self._client


def _body(file: str, web: _Web) -> bytes:
    """Read a file, or ask a site for its robots.txt."""
    if "://" not in file:
        return _usable(b"".join(_parts(file)), "standard input" if file == "-" else printable(file))
    try:
        access = web.client.access(file)
    except InvalidURL as error:
        raise UnusableInput(printable(str(error))) from None
    if access.cause is Cause.NO_POLICY:
        raise UnusableInput(f"{printable(file)}: {access.cause.value}")
    if access.outcome is Outcome.UNREACHABLE:
        raise UnreachableSite(printable(f"{access.url}: {access.explain()}"))
    if access.outcome is not Outcome.RULES:
        click.echo(f"Note: {printable(f'{access.url}: {access.explain()}')}", err=True)
        return b""
    return _usable(access.body, printable(access.url))


def _usable(body: bytes, name: str) -> bytes:
    """Refuse what is something else than a robots.txt, and names no robot: it would pass for an empty one."""
    from ...protocol.robotstxt.diagnostics.file import is_utf16
    from ...protocol.robotstxt.document import parse
    from ...protocol.robotstxt.grammar import BOM

    if body[:1024].removeprefix(BOM).lstrip()[:1] in (b"<", b"{"):
        looks = "is a web page, or data,"
    elif is_utf16(body):
        looks = "is UTF-16"
    else:
        return body
    # Google finds rules where others do not, as in `<p>User-agent: *`.
    if not parse(body, "google").groups:
        raise UnusableInput(f"{name} {looks} and no robots.txt; for one without rules, give an empty file")
    click.echo(f"Note: {name} {looks} of which only what reads as rules counts", err=True)
    return body


def _parts(file: str) -> Iterator[bytes]:
    """Read a file, or standard input."""
    try:
        with click.open_file(file, "rb") as stream:
            while part := stream.read(_PART):
                yield part
    except OSError as error:
        raise UnusableInput(f"cannot read {printable(file)!r}: {error.strerror or error}") from None


def _urls(files: Iterable[str], web: _Web, texts: list[str]) -> Iterator[str]:
    """Give the URLs of all files, as they come, and to `texts` the names of those that are no sitemaps."""
    from ...site.compare.url_impact import is_url
    from ..sitemaps import urls_of

    for file in files:
        source = _source(file, web)
        found = False
        try:
            for url in urls_of(source, partial(_listed, file, web), texts):
                found = found or is_url(url)
                yield url
        except InvalidURL as error:
            raise UnusableInput(printable(str(error))) from None
        if not found:
            raise UnusableInput(f"no URL found in {source.name}")


def _source(file: str, web: _Web) -> "Source":
    from ..sitemaps import Source

    name = "standard input" if file == "-" else printable(file)
    return Source(name, (lambda: web.client.download(file)) if "://" in file else (lambda: _parts(file)))


def _listed(index: str, web: _Web, address: str) -> "Source":
    """Give the sitemap that an index names: a site's names only pages, a file's files beside it too."""
    from ..sitemaps import absolute, beside

    if "://" in index:
        return _source(absolute(index, address), web)
    if "://" in address:
        return _source(address, web)
    found = None if index == "-" else beside(index)(address)
    if found is None:
        raise UnusableInput(f"{printable(index)} names {printable(address)!r}, which is no file beside it")
    return _source(str(found), web)


def _watched() -> "AbstractContextManager[Status | None]":
    """Show that something is done, to a person whose terminal is free for it."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status("comparing")


def _counted(urls: Iterable[str], status: "Status | None") -> Iterator[str]:
    for number, url in enumerate(urls, 1):
        if status is not None and number % 10_000 == 0:
            status.update(f"comparing: {number:,} URLs")
        yield url
