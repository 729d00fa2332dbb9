"""`comity crawl`: retrieve sites within their rules, and continue after an interruption."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..._extras import install_hint
from ...errors import InvalidArgument, InvalidURL
from ...protocol.text import printable
from ...protocol.userinfo import has_at_sign, without_password
from ..crawl_job import NewJob, OpenJob, folder_of, open_job
from ..credentials import Credentials
from ..options import (
    POLICY_DIALECT,
    LoginOptions,
    acap_option,
    agent_match_option,
    check_uses,
    contact_option,
    dialect_option,
    json_option,
    login_options,
    policy_option,
    respect_option,
    user_agent_option,
)
from ..terminal import echo_json

if TYPE_CHECKING:
    from ...crawl.job.entry import LinkRequest
    from ...crawl.scope import Scope
    from ...politeness.identity import Identity

#: Options that --resume can change, and options that are not stored with the job.
_CHANGEABLE = ("limit", "delay", "slow_down")
_PER_RUN = ("name", "resume", "user", "ask_password", "contact", "page", "server", "as_json")


@click.command("crawl")
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "--job", "name", metavar="NAME", help="The folder of the crawl. Default: the host of the first URL."
)
@click.option("--resume", is_flag=True, help="Continue a crawl with its own URLs and options.")
@click.option("--depth", metavar="N", type=click.IntRange(0), default=5, show_default=True,
              help="Maximum number of links from a start URL.")  # fmt: skip
@click.option("--span-hosts", is_flag=True, help="Follow links to other hosts.")
@click.option("--private-host", "private_hosts", metavar="HOST", multiple=True,
              help="Allow links to this host in a private network, such as localhost:8000.")  # fmt: skip
@click.option("--include", metavar="PATTERN", multiple=True,
              help="Follow only links to these paths, such as /shop/ or *.html$.")  # fmt: skip
@click.option("--exclude", metavar="PATTERN", multiple=True, help="Skip links to these paths.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(1), help="Maximum number of pages. Only stored pages count."
)
@click.option("--delay", metavar="SECONDS", type=click.FloatRange(0, 86_400), default=1.0, show_default=True,
              help="Minimum time between two requests to a site.")  # fmt: skip
@click.option("--slow-down", metavar="FACTOR", type=click.FloatRange(0, 1000),
              help="Minimum time between two requests, in response times, such as 5.")  # fmt: skip
@click.option("--random-wait", is_flag=True,
              help="Wait one to two times as long between requests, at random.")  # fmt: skip
@click.option("--start-from-sitemaps", "sitemaps", is_flag=True,
              help="Also fetch the pages that the sites' sitemaps list.")  # fmt: skip
@policy_option
@dialect_option(POLICY_DIALECT)
@agent_match_option()
@acap_option
@user_agent_option
@login_options
@contact_option("Needed once; it is stored.")
@respect_option("Skip pages that disallow it.")
@click.option("--force-start", is_flag=True,
              help="Fetch the start URLs even if robots.txt disallows them.")  # fmt: skip
@click.option("--report", "page", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="Write an HTML report with charts.")  # fmt: skip
@click.option("--warc", is_flag=True, help="Store pages in crawl.warc.gz instead of the folder mirror/.")
@click.option(
    "--spider", "only_check", is_flag=True, help="Check links, store no pages, and list the broken links."
)
@click.option("--redis", "server", metavar="URL", envvar="COMITY_REDIS",
              help="Share the crawl with other machines through a Redis server. Default: COMITY_REDIS, where "
                   "other users cannot read its password.")  # fmt: skip
@json_option("One object, when the crawl ends.")
def command(
    urls: Sequence[str],
    name: str | None,
    resume: bool,
    login: LoginOptions,
    contact: str | None,
    page: Path | None,
    server: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Retrieve sites by following links, as their robots.txt allows.

    Each site is retrieved at the pace that it asks for. The folder of the crawl has the pages in mirror/ (or
    all requests and responses in crawl.warc.gz), the outcome of each URL in job.sqlite3, and every decision
    in decisions.jsonl.

    To continue a crawl that was stopped or killed, run the same command again, or use --resume. No page is
    lost and none is stored twice.

    URLs that robots.txt disallows are not fetched. This includes the start URLs, unless --force-start is
    given.

    With --redis, run the same command on any number of machines. Together they send one request at a time
    to each site. Each process stores its pages in its own folder, such as worker-1/.

    With --spider, pages are not stored. Links are requested with HEAD, and pages that may have more links
    with GET.

    Exit status: 0 if every allowed page was fetched, 1 if a start URL is disallowed or --spider found a
    broken link, 2 for wrong usage, 3 if
    a page, a site or the job was unavailable, or a site is postponed, 130 if stopped.
    """
    _check_packages(server)
    _check_proxies()
    _check_options(options, name, page)
    new, changes = None, {}
    if resume:
        changes = _changes(urls)
    else:
        requests = _start_requests(urls)
        stored = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
        new = NewJob({**stored, "urls": [one.url for one in requests]}, requests)
        _scope(options)
        _identity(options, contact)  # reports errors before the job is created
    credentials = Credentials(login, [one.url for one in new.requests] if new else ())
    folder = folder_of(name, server, new)
    with open_job(folder, server, new) as opened:
        if changes:
            opened.job.set_metadata(options={**opened.options, **changes})
        status = _run(opened, folder, contact, credentials, as_json)
        if page is not None:
            _write_report(opened, folder.name, page, shared=server is not None)
    sys.exit(status)


def _check_packages(server: str | None) -> None:
    missing = [name for name in ("scrapy", "tinycss2", "warcio") if find_spec(name) is None]
    if missing:
        raise click.UsageError(f"crawling needs {' and '.join(missing)}; {install_hint(*missing)}")
    if server is not None and find_spec("redis") is None:
        raise click.UsageError(f"--redis needs redis-py; {install_hint('redis')}")


def _check_proxies() -> None:
    """Reject proxies of the environment that Scrapy cannot use; it would wait for them in vain."""
    from ...robot.proxies import Proxies

    try:
        if any(address.startswith("socks") for address in Proxies().addresses):
            raise click.UsageError("the environment names a SOCKS proxy: crawling needs an HTTP proxy")
    except InvalidArgument as error:
        raise click.UsageError(printable(str(error))) from None


def _check_options(options: Mapping[str, Any], name: str | None, page: Path | None) -> None:
    """Reject invalid values before anything is fetched."""
    from ...crawl.private_hosts import named_host

    check_uses(options["respect"], pages=True)
    if options["only_check"] and options["warc"]:
        raise click.UsageError("--spider stores no pages; leave out --warc")
    if options["delay"] != options["delay"]:  # click accepts nan in every range
        raise click.UsageError("invalid --delay nan: expected seconds, such as 0.5")
    for host in options["private_hosts"]:
        try:
            named_host(host)
        except InvalidURL as error:
            raise click.UsageError(f"--private-host: {printable(str(error))}") from None
    if options["slow_down"] != options["slow_down"]:
        raise click.UsageError("invalid --slow-down nan: expected a factor, such as 5")
    if name == "":
        raise click.UsageError("--job is empty: expected the name of a folder")
    if page is not None:
        folder = page.parent
        if not folder.is_dir() or not os.access(page if page.exists() else folder, os.W_OK):
            raise click.UsageError(f"--report: {printable(str(page))} is not writable")


def _changes(urls: Sequence[str]) -> dict[str, object]:
    """Return the options that --resume changes; raises `click.UsageError` for those that it cannot."""
    if urls:
        raise click.UsageError("--resume takes no URL: the job has its own")
    context = click.get_current_context()
    given = {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    fixed = [
        option.opts[0]
        for option in context.command.params
        if option.name in given and option.name not in (*_CHANGEABLE, *_PER_RUN)
    ]
    if fixed:
        raise click.UsageError(
            f"--resume can change only --limit, --delay and --slow-down: leave out {' '.join(fixed)}"
        )
    return {name: given[name] for name in _CHANGEABLE if name in given}


def _run(opened: OpenJob, folder: Path, contact: str | None, credentials: Credentials, as_json: bool) -> int:
    from ...crawl.engine import CrawlOptions, run
    from ..render.crawl_report import Display, exit_status, record, show

    job, options = opened.job, opened.options
    scope = _scope(options)
    scope.hosts.update(job.start_hosts())
    scope.private_hosts.update(opened.private_hosts)
    credentials.add(options["urls"])
    crawl_options = CrawlOptions(
        identity=_identity(options, contact),
        policy=options["policy"],
        dialect=options["dialect"],
        agent_match=options["agent_match"],
        acap=options["acap"],
        scope=scope,
        folder=opened.folder,
        store=opened.store,
        delay=options["delay"],
        slow_down=options.get("slow_down"),  # absent in jobs of earlier versions
        limit=options["limit"],
        respect=options["respect"],
        force_start=options["force_start"],
        sitemaps=options["sitemaps"],
        warc=options["warc"],
        only_check=options["only_check"],
        random_wait=options["random_wait"],
        authorization=credentials.fields,
    )
    with Display(only_check=options["only_check"]) as display:
        progress = run(job, crawl_options, display.watch)
    if as_json:
        echo_json(record(job, progress, folder, limit=options["limit"]))
    else:
        shared = opened.folder != folder
        show(job, progress, folder, shared=shared, limit=options["limit"], only_check=options["only_check"])
    return exit_status(job, progress, limit=options["limit"], only_check=options["only_check"])


def _write_report(opened: OpenJob, name: str, page: Path, *, shared: bool) -> None:
    from ...crawl.report.page import report
    from ...politeness.private_files import open_private
    from ...politeness.stores._sync.redis import RedisStore
    from ...politeness.stores._sync.sqlite import SQLiteStore

    with (RedisStore if shared else SQLiteStore)(opened.store) as store:
        text = report(opened.job, name, store, None if shared else _address(opened.folder, page))
    try:
        with open(open_private(page, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise click.ClickException(printable(f"{page}: {error.strerror or error}")) from None


def _address(folder: Path, page: Path) -> str | None:
    """Return the address of the folder relative to the report, or None on another drive."""
    from urllib.parse import quote

    try:
        way = Path(os.path.relpath(folder.resolve(), page.parent.resolve())).as_posix()
    except ValueError:
        return None
    return quote(f"./{way}".encode(errors="surrogateescape"))


def _identity(options: Mapping[str, Any], contact: str | None) -> "Identity":
    from ..contact import identity_of

    return identity_of(options["user_agent"], contact, needs_contact=True)


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


def _start_requests(urls: Sequence[str]) -> "list[LinkRequest]":
    from ...crawl.job.entry import LinkRequest
    from ...crawl.urls import MAX_URL_LENGTH, as_sent, normalized

    if not urls:
        raise click.UsageError("no start URL; name one, or use --resume to continue a crawl")
    requests = []
    for given in urls:
        try:
            origin, url = normalized(as_sent(given))
        except InvalidURL as error:
            raise click.UsageError(printable(str(error))) from None
        except ValueError as error:
            shown = without_password(given)[:200]
            why = "" if has_at_sign(given) else f": {error}"  # it may quote a part of a password
            raise click.UsageError(printable(f"invalid URL {shown!r}{why}")) from None
        if "@" in given.partition("://")[2].partition("/")[0]:
            raise click.UsageError(
                "the URL has a user name or password, which other users of the machine can see; leave them "
                "out, and set COMITY_USER and COMITY_PASSWORD, or add an entry to ~/.netrc"
            )
        if not origin.startswith(("http://", "https://")) or len(url) > MAX_URL_LENGTH:
            raise click.UsageError(f"{printable(without_password(given)[:200])}: not an http or https URL")
        requests.append(LinkRequest(url, origin, 0, "page", True, 0, None, None))
    return requests
