"""`comity crawl`: retrieve sites as far as they allow, at their pace, and lose nothing when stopped."""

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InvalidIdentity, InvalidURL
from ..protocol.robotstxt.verdict import printable
from .options import check_uses

if TYPE_CHECKING:
    from ..crawl.entry import Want
    from ..crawl.job import Job
    from ..crawl.scope import Scope
    from ..robot.identity import Identity

__all__ = ["command"]

#: The file of a job in its folder.
_JOB = "job.sqlite3"


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
    as_json: bool,
) -> None:
    """Retrieve sites: all that the URLs lead to, as far as the sites allow it, and no faster.

    Everything is in one folder, that of the job: the pages as files under mirror/, with links as they were,
    or one WARC file with all that was sent and received; what became of each page in job.sqlite3; every
    decision in decisions.jsonl. A crawl that was stopped or killed goes on when the same command is run
    again, or by --resume; no page is lost, none is stored twice.

    URLs that robots.txt forbids are not fetched, the first ones neither, unless --force-start says so.

    Exit status: 0 if all was fetched that may be, 1 if a URL given here may not be, 3 if a site or a page
    could not be had or is left for later, 2 for wrong usage.
    """
    if find_spec("scrapy") is None or find_spec("warcio") is None:
        raise click.UsageError("crawling needs Scrapy and warcio: pip install 'comity[crawl]'")
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
    if resume:
        if urls:
            raise click.UsageError("--resume takes no URL: the job has them")
        folder = Path(name) if name else _only_job()
        if not (folder / _JOB).exists():
            raise click.UsageError(f"{printable(str(folder))} is no job: it has no {_JOB}")
        status = _work(folder, None, [], contact, page, as_json)
    else:
        from ..crawl.mirror import name_of

        wants = _starts(urls)
        options["urls"] = [want.url for want in wants]
        _scope(options)
        _identity(agent, contact)  # complains before anything is begun
        folder = Path(name or name_of(wants[0].url).partition("/")[0])
        if (
            folder.exists()
            and not (folder / _JOB).exists()
            and (not folder.is_dir() or any(folder.iterdir()))
        ):
            raise click.UsageError(f"{printable(str(folder))} is there and is no job: give another by --job")
        status = _work(folder, options, wants, contact, page, as_json)
    sys.exit(status)


def _work(
    folder: Path,
    options: dict[str, object] | None,
    wants: "Sequence[Want]",
    contact: str | None,
    page: Path | None,
    as_json: bool,
) -> int:
    """Begin a job or go on with it; `options` are none where it is to go on as it was begun."""
    from ..crawl.job import Job, JobUnusable

    try:
        folder.mkdir(parents=True, exist_ok=True)
        job = Job(folder / _JOB)
    except JobUnusable as error:
        raise click.ClickException(printable(str(error))) from None
    except OSError as error:
        raise click.ClickException(printable(f"{folder}: {error.strerror or error}")) from None
    with job:
        known = job.facts().get("options")
        if known is None and options is None:
            raise click.UsageError(f"{printable(str(folder))} was never begun: name its URLs")
        if known is None:
            from ..crawl.address import host_of

            job.create(wants, options=options, hosts=sorted({host_of(want.origin) for want in wants}))
            known = options
        elif options is not None:
            _compare(known, options, folder)
        assert isinstance(known, dict)  # noqa: S101  # as it was written
        status = _run(job, known, folder, contact, as_json)
        if page is not None:
            _write(job, folder, page)
        return status


def _run(job: "Job", options: dict[str, object], folder: Path, contact: str | None, as_json: bool) -> int:
    from ..crawl.engine import Task, run
    from .crawl_report import Display, record, show, status_of

    hosts = job.facts().get("hosts")
    scope = _scope(options)
    scope.hosts.update(hosts if isinstance(hosts, list) else [])
    task = Task(
        identity=_identity(str(options["agent"]), contact),
        scope=scope,
        folder=folder,
        delay=options["delay"],  # type: ignore[arg-type]  # these are as they were given
        limit=options["limit"],  # type: ignore[arg-type]
        respect=options["respect"],  # type: ignore[arg-type]
        force_start=bool(options["force_start"]),
        sitemaps=bool(options["sitemaps"]),
        warc=bool(options["warc"]),
    )
    try:
        with Display() as display:
            progress = run(job, task, display.watch)
    except OSError as error:
        raise click.ClickException(printable(f"{folder}: {error.strerror or error}")) from None
    if as_json:
        click.echo(json.dumps(record(job, progress, folder)))
    else:
        show(job, progress, folder)
    return status_of(job, progress)


def _write(job: "Job", folder: Path, page: Path) -> None:
    from ..crawl.report import report

    try:
        page.write_text(report(job, folder.name, folder / "robots.sqlite3"), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(printable(f"{page}: {error.strerror or error}")) from None


def _scope(options: dict[str, object]) -> "Scope":
    from ..crawl.scope import Scope

    try:
        return Scope(
            depth=options["depth"],  # type: ignore[arg-type]  # these are as they were given
            span_hosts=bool(options["span_hosts"]),
            include=options["include"],  # type: ignore[arg-type]
            exclude=options["exclude"],  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None


def _starts(urls: Sequence[str]) -> "list[Want]":
    from ..crawl.address import LONGEST, address, as_sent
    from ..crawl.entry import Want

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
        if not origin.startswith(("http://", "https://")) or len(url) > LONGEST:
            raise click.UsageError(f"{printable(given[:200])} is no http or https URL")
        wants.append(Want(url, origin, 0, "page", True, 0))
    return wants


def _identity(agent: str, contact: str | None) -> "Identity":
    """Give who the robot is; a contact that is given is kept."""
    from ..crawl.contact import default_path, keep, kept
    from ..robot.identity import Identity

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
    except InvalidIdentity as error:
        raise click.UsageError(printable(str(error))) from None
    if contact is not None:
        try:
            keep(contact.strip())
        except OSError as error:
            click.echo(f"Note: the contact is not kept: {path}: {error.strerror or error}", err=True)
    return identity


def _compare(known: object, options: dict[str, object], folder: Path) -> None:
    """Complain of a command that is not the one that a job was begun with."""
    begun = known if isinstance(known, dict) else {}
    changed = [name for name, value in options.items() if begun.get(name) != value]
    if changed:
        told = ", ".join(f"{name.replace('_', '-')}: {json.dumps(begun.get(name))}" for name in changed)
        raise click.UsageError(
            printable(f"{folder} was begun otherwise ({told}): --resume it, or give another folder by --job")
        )


def _only_job() -> Path:
    found = sorted(path.parent for path in Path().glob(f"*/{_JOB}"))
    if len(found) != 1:
        told = ", ".join(map(str, found)) or "there is none here"
        raise click.UsageError(f"say which job to resume, by --job: {printable(told)}")
    return found[0]
