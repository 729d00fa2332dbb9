"""`comity crawl`: retrieve sites as far as they allow, at their pace, and lose nothing when stopped."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ...errors import InvalidArgument, InvalidURL
from ...protocol.robotstxt.verdict import printable
from ..crawl_job import Beginning, Home, folder_of, opened
from ..options import check_uses

if TYPE_CHECKING:
    from ...crawl.job.entry import Want
    from ...crawl.scope import Scope
    from ...politeness.identity import Identity

__all__ = ["command"]

#: The options that a job may be resumed with otherwise, and those that say nothing of the job itself.
_CHANGING = ("limit", "delay")
_OF_A_RUN = ("name", "resume", "contact", "page", "server", "as_json")


@click.command("crawl")
@click.argument("urls", metavar="URL...", nargs=-1)
@click.option(
    "--job", "name", metavar="NAME", help="The folder of the crawl. Default: the host of the first URL."
)
@click.option(
    "--resume", is_flag=True, help="Go on with a crawl as it was begun, without naming its URLs again."
)
@click.option("--depth", metavar="N", type=click.IntRange(0), default=5, show_default=True,
              help="Follow so many links in a row.")  # fmt: skip
@click.option("--span-hosts", is_flag=True, help="Follow links to other hosts too.")
@click.option("--include", metavar="PATTERN", multiple=True,
              help="Follow links to these paths alone: /shop/ or *.html$, as in robots.txt.")  # fmt: skip
@click.option("--exclude", metavar="PATTERN", multiple=True, help="Follow no links to these paths.")
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Store so many pages and stop.")
@click.option("--delay", metavar="SECONDS", type=click.FloatRange(0, 86_400), default=1.0, show_default=True,
              help="The least gap between two requests to a site, which may want more.")  # fmt: skip
@click.option("--start-from-sitemaps", is_flag=True, help="Want what the sites' sitemaps list, too.")
@click.option("--agent", metavar="HEADER", default="",
              help="The robot's User-Agent, by name. Default: Comity and its version.")  # fmt: skip
@click.option("--contact", metavar="ADDRESS",
              help="Whom sites may write to: an e-mail address or a page. Needed once.")  # fmt: skip
@click.option("--respect", metavar="USE", multiple=True,
              help="Leave out what sites keep from a use, such as train-ai.")  # fmt: skip
@click.option(
    "--force-start", is_flag=True, help="Fetch the URLs that are named here though robots.txt forbids it."
)
@click.option("--report", "page", metavar="HTML", type=click.Path(dir_okay=False, path_type=Path),
              help="Write a page that shows the crawl as pictures.")  # fmt: skip
@click.option("--warc", is_flag=True, help="Store all in one file, crawl.warc.gz, and not in a folder.")
@click.option("--redis", "server", metavar="URL",
              help="Share the crawl by a Redis server with all that run the same command.")  # fmt: skip
@click.option(
    "--json", "as_json", is_flag=True, help="Print the closing report as one JSON object, for programs."
)
def command(
    urls: Sequence[str],
    name: str | None,
    resume: bool,
    depth: int,
    span_hosts: bool,
    include: Sequence[str],
    exclude: Sequence[str],
    limit: int | None,
    delay: float,
    start_from_sitemaps: bool,
    agent: str,
    contact: str | None,
    respect: Sequence[str],
    force_start: bool,
    warc: bool,
    page: Path | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Retrieve sites: all that the URLs lead to, as far as the sites allow it, and no faster.

    Everything is in one folder, that of the job: the pages as files under mirror/, with links as they were,
    or one WARC file with all that was sent and received; what became of each page in job.sqlite3; every
    decision in decisions.jsonl. A crawl that was stopped or killed goes on when the same command is run
    again, or by --resume; no page is lost, none is stored twice.

    URLs that robots.txt forbids are not fetched, the first ones neither, unless --force-start says so.

    With --redis the job is on that server under its name, and any number of machines work on it, each with
    the same command: one page at a time of a site among all of them. Each has its pages in a folder of its
    own, worker-1/ and so on, below that of the job.

    Exit status: 0 if all was fetched that may be, 1 if a URL given here may not be, 3 if a site or a page
    could not be had or is left for later, or the job itself cannot be worked on, 2 for wrong usage.
    """
    if not all(map(find_spec, ("scrapy", "warcio", "tinycss2"))):
        raise click.UsageError("crawling needs Scrapy, warcio and tinycss2: pip install 'comity[crawl]'")
    if server is not None and find_spec("redis") is None:
        raise click.UsageError("--redis needs redis-py: pip install 'comity[crawl,redis]'")
    check_uses(respect, pages=True)
    options: dict[str, object] = {
        "depth": depth,
        "span_hosts": span_hosts,
        "include": list(include),
        "exclude": list(exclude),
        "limit": limit,
        "delay": delay,
        "sitemaps": start_from_sitemaps,
        "agent": agent,
        "respect": list(respect),
        "force_start": force_start,
        "warc": warc,
    }
    if delay != delay:  # what is no number is in every range
        raise click.UsageError("--delay is a number of seconds, not nan")
    if name == "":
        raise click.UsageError("--job is the name of a folder, and it is empty")
    if page is not None:
        _check_writable(page)
    beginning, changes = None, {}
    if resume:
        changes = _changes(urls)
    else:
        wants = _starts(urls)
        beginning = Beginning({**options, "urls": [want.url for want in wants]}, wants)
        _scope(options)
        _identity(agent, contact)  # complains before anything is begun
    folder = folder_of(name, server, beginning)
    with opened(folder, server, beginning) as home:
        if changes:
            home.job.tell(options={**home.options, **changes})
        status = _run(home, folder, contact, as_json)
        if page is not None:
            _write(home, folder.name, page, shared=server is not None)
    sys.exit(status)


def _changes(urls: Sequence[str]) -> dict[str, object]:
    """Give what is to be changed of a job that is resumed; raises `click.UsageError` for what cannot be."""
    if urls:
        raise click.UsageError("--resume takes no URL: the job has them")
    context = click.get_current_context()
    given = {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    fixed = [
        option.opts[0]
        for option in context.command.params
        if option.name in given and option.name not in (*_CHANGING, *_OF_A_RUN)
    ]
    if fixed:
        raise click.UsageError(
            f"a crawl goes on as it was begun, but for --limit and --delay: leave out {' '.join(fixed)}"
        )
    return {name: given[name] for name in _CHANGING if name in given}


def _check_writable(page: Path) -> None:
    """Complain of a page that cannot be written before anything is fetched for it."""
    folder = page.parent
    if not folder.is_dir() or not os.access(page if page.exists() else folder, os.W_OK):
        raise click.UsageError(f"--report: {printable(str(page))} cannot be written")


def _run(home: Home, folder: Path, contact: str | None, as_json: bool) -> int:
    from ...crawl.engine import Task, run
    from ..render.crawl_report import Display, record, show, status_of

    job, options = home.job, home.options
    scope = _scope(options)
    scope.hosts.update(job.hosts())
    task = Task(
        identity=_identity(options["agent"], contact),
        scope=scope,
        folder=home.folder,
        store=home.store,
        delay=options["delay"],
        limit=options["limit"],
        respect=options["respect"],
        force_start=options["force_start"],
        sitemaps=options["sitemaps"],
        warc=options["warc"],
    )
    with Display() as display:
        progress = run(job, task, display.watch)
    if as_json:
        click.echo(json.dumps(record(job, progress, folder, limit=options["limit"])))
    else:
        show(job, progress, folder, shared=home.folder != folder, limit=options["limit"])
    return status_of(job, progress, limit=options["limit"])


def _write(home: Home, name: str, page: Path, *, shared: bool) -> None:
    from ...crawl.report.page import report
    from ...politeness import stores as homes

    with (homes.RedisStore if shared else homes.SQLiteStore)(home.store) as store:
        text = report(home.job, name, store)
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(printable(f"{page}: {error.strerror or error}")) from None


def _scope(options: Mapping[str, Any]) -> "Scope":
    from ...crawl.scope import Scope

    try:
        return Scope(
            depth=options["depth"],
            span_hosts=options["span_hosts"],
            include=options["include"],
            exclude=options["exclude"],
        )
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None


def _starts(urls: Sequence[str]) -> "list[Want]":
    from ...crawl.address import LONGEST, address, as_sent
    from ...crawl.job.entry import Want

    if not urls:
        raise click.UsageError("name a URL to begin at, or --resume a job")
    wants = []
    for given in urls:
        try:
            origin, url = address(as_sent(given))
        except InvalidURL as error:
            raise click.UsageError(printable(str(error))) from None
        except ValueError as error:
            raise click.UsageError(printable(f"{given[:200]!r} is no URL: {error}")) from None
        if "@" in given.partition("://")[2].partition("/")[0]:
            raise click.UsageError("a crawl sends no credentials: leave those in the URL out")
        if not origin.startswith(("http://", "https://")) or len(url) > LONGEST:
            raise click.UsageError(f"{printable(given[:200])} is no http or https URL")
        wants.append(Want(url, origin, 0, "page", True, 0))
    return wants


def _identity(agent: str, contact: str | None) -> "Identity":
    """Give who the robot is; a contact that is given is kept."""
    from ...crawl.contact import default_path, keep, kept
    from ...politeness.identity import Identity

    path = printable(str(default_path()))
    try:
        address = contact if contact is not None else kept()
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {printable(str(error))}") from None
    if address is None:
        raise click.UsageError(
            f"say once whom sites may write to, as --contact bot@example.com; it is kept in {path}"
        )
    try:
        identity = Identity.of(agent.strip() or f"Comity/{version('comity')}", address)
    except InvalidArgument as error:
        raise click.UsageError(printable(str(error))) from None
    if contact is not None:
        try:
            before = kept()
            if before != contact.strip():
                keep(contact.strip())
                if before is not None:
                    click.echo(f"Note: {path} has this contact now, not {printable(before)}", err=True)
        except (OSError, ValueError) as error:
            click.echo(f"Note: the contact is not kept: {path}: {printable(str(error))}", err=True)
    return identity
