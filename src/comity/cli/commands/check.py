"""`comity check`: which URLs robots may fetch, and which line of robots.txt says so."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING

import click

from ...desk.url_lists import ListedUrl
from ...desk.verdicts import FileVerdicts, SiteVerdicts
from ...errors import UnusableInput
from ...protocol.access.outcome import Access
from ...protocol.access.policy import access_policy, dialect_for
from ...protocol.robotstxt.engine.dialect import Dialect
from .. import options
from ..agent_option import asked_robots, show_assumptions
from ..checking.judges import answers, file_verdicts
from ..exit_status import AnswerCount
from ..inputs import display_name, listed_urls, sites_named, url_arguments
from ..render.url_answers import show_answers

if TYPE_CHECKING:
    from ...desk.robots_by_name import NamedRobot
    from ...desk.site_client import SiteClient
    from ...desk.site_credentials import SiteCredentials


@click.command("check")
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--robots",
    "robots_files",
    multiple=True,
    metavar="FILE",
    shell_complete=options.complete_files,
    help="The robots.txt to read; - is standard input. Default: the robots.txt of each URL's site.",
)
@options.agent_option("Default: *, any robot that the file does not name.")
@options.exact_option
@options.dialect_option("that of a known robot's operator, or else of --policy, such as rfc9309.")
@options.agent_match_option()
@options.acap_option
@options.policy_option
@options.sender_options("--page needs it once; it is stored.")
@options.login_options
@options.page_option
@options.respect_option("Exit with status 1 if the site disallows it. Needs --page.")
@click.option("--regions", is_flag=True,
              help="Show the regions of the page that are closed to indexes, snippets or anchors, with their "
                   "lines. Needs --page.")  # fmt: skip
@options.sitemap_options
@options.public_only_option
@options.urls_option(options.LISTS)
@options.column_option
@click.option("--explain", is_flag=True, help="Explain each answer in a sentence.")
@options.json_option("One object per line.")
@options.csv_option("One line for each URL and robot.")
def command(
    urls: Sequence[str],
    robots_files: Sequence[str],
    agents: Sequence[str],
    exact: bool,
    dialect: str | None,
    agent_match: str | None,
    acap: bool,
    policy: str,
    sender: options.Sender,
    login: options.LoginOptions,
    pages: bool,
    respect: Sequence[str],
    regions: bool,
    sitemap: options.SitemapOptions,
    public_only: bool,
    urls_files: Sequence[str],
    column: str | None,
    explain: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show which URLs robots may fetch, and which line decides.

    Only the robots.txt of each URL's site is fetched. It is cached in the user's cache directory, or in the
    file that COMITY_STORE names, until it expires. Its delays and other wishes for the robots are listed.

    What is known about a robot in --agent is assumed, and stated: the groups that it falls back to, the
    dialect of its operator, whether it ignores the groups for *, and whether it obeys. --exact assumes
    nothing.

    With --robots, FILE is read instead, and only the path and query of a URL count. A URL may then be a path
    that begins with /. Errors and warnings about FILE go to standard error.

    With --page, each page is fetched too, which needs a contact. The answers show for each --agent which
    uses are allowed, and why. Mistakes in the page's own rules for robots follow, and style sheets and
    scripts that Googlebot may not fetch. With --sitemap, only such problems are shown, and a summary.

    A URL of - reads URLs from standard input. Blank lines and comments with # are skipped. A list of --urls
    is read as its answers are printed, so it may be long. Of errors of one kind, the first 20 are printed.

    Exit status: 0 if every URL is allowed, 1 if one is disallowed, or a page has an error or a warning and
    --respect is not given, 2 if a file or a URL is not valid, 3 if the robots.txt of a site is unreachable.
    """
    urls, urls_files = _inputs(urls, urls_files, robots_files)
    _check_usage(urls, robots_files, urls_files, pages, respect, regions, explain, sitemap)
    options.check_column(column, urls_files)
    if as_csv and (as_json or explain or pages):
        raise click.UsageError("--csv prints answers about URLs; leave out --json, --explain and --page")
    if public_only and robots_files:
        raise click.UsageError("--public-only is for the sites of the URLs; leave out --robots")
    chosen = access_policy(policy)
    robots = asked_robots(agents, chosen, dialect=dialect, agent_match=agent_match, exact=exact)
    reading = dialect_for(chosen, dialect, agent_match)
    count = AnswerCount()
    remote = [file for file in urls_files if "://" in file]
    web_sitemaps = [file for file in sitemap.files if "://" in file]
    with ExitStack() as stack:
        download = None
        if remote or not robots_files:
            from ..session import credentials_of

            credentials = credentials_of(
                login, (*urls, *remote, *web_sitemaps), more=bool(urls_files or sitemap.files)
            )
            client = _client(
                sender,
                policy,
                credentials,
                reading,
                acap=acap,
                contact=pages or bool(remote),
                public_only=public_only,
            )
            stack.enter_context(client)
            download = client.download
        lists = listed_urls(urls_files, column=column, download=download)
        inputs: Iterable[ListedUrl] = chain(url_arguments(urls), lists)
        if robots_files:
            verdicts: FileVerdicts | SiteVerdicts = file_verdicts(
                robots_files[0], reading, robots, acap, quiet=as_json
            )
        else:
            inputs = credentials.noticed(inputs)
            verdicts = _site_verdicts(client, robots, count, quiet=explain or as_json)
        assumed: dict[str, None] = {}
        if sitemap.files:
            from ..checking.sitemap_pages import check_sitemaps

            check_sitemaps(sitemap, client, robots, count, assumed, as_json=as_json)
        elif pages:
            from ..checking.pages import PageView, show_pages

            show_pages(inputs, client, robots, count, assumed, PageView(respect, regions, explain, as_json))
        else:
            found = answers(inputs, robots, verdicts, count, assumed, all_invalid=as_json or as_csv)
            show_answers(found, explain=explain, as_json=as_json, as_csv=as_csv)
        if not (as_json or as_csv):
            show_assumptions(assumed)
        count.report(with_summary=not (as_json or as_csv or sitemap.files))
    if not count.total:
        raise UnusableInput(f"{' and '.join(map(display_name, urls_files))}: no URL found")
    sys.exit(count.status)


def _site_verdicts(
    client: "SiteClient", robots: "Mapping[str, NamedRobot]", count: AnswerCount, *, quiet: bool
) -> SiteVerdicts:
    """Return the verdicts by each URL's site. Without `quiet`, the first unreachable sites are reported."""

    def report(access: Access) -> None:
        if not quiet:
            count.sites.add(f"{access.url}: {access.explain()}", "unreachable")

    return SiteVerdicts(client, robots, unreachable=report)


def _inputs(
    urls: Sequence[str], urls_files: Sequence[str], robots_files: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the URLs and the lists; a URL of - is a list. A site may lack its scheme, and a path may not."""
    if "-" in urls:
        urls, urls_files = [url for url in urls if url != "-"], [*urls_files, "-"]
    return urls if robots_files else sites_named(urls), urls_files


def _check_usage(
    urls: Sequence[str],
    robots_files: Sequence[str],
    urls_files: Sequence[str],
    pages: bool,
    respect: Sequence[str],
    regions: bool,
    explain: bool,
    sitemap: options.SitemapOptions,
) -> None:
    """Raise `click.UsageError` for options that contradict or need each other."""
    if sitemap.files:
        _check_sitemap_usage([*urls, *urls_files, *robots_files], pages, respect, regions)
        if explain:
            raise click.UsageError("--sitemap shows only the problems of pages; leave out --explain")
        return
    for name, value in (("--limit", sitemap.limit), ("--progress", sitemap.progress)):
        if value is not None:
            raise click.UsageError(f"{name} is for --sitemap; add it, or leave {name} out")
    if len(robots_files) > 1:
        raise click.UsageError(f"--robots: {len(robots_files)} files given; name one")
    if not urls and not urls_files:
        raise click.UsageError("no URL to check; name one, or a file of URLs with --urls")
    if [*robots_files, *urls_files].count("-") > 1:
        raise click.UsageError("-: standard input can be read once; name a file for --robots or for the URLs")
    if pages and robots_files:
        raise click.UsageError("--page reads the site's own robots.txt; leave out --robots")
    if regions and not pages:
        raise click.UsageError("--regions needs the page; add --page")
    options.check_uses(respect, pages)


def _check_sitemap_usage(others: Sequence[str], pages: bool, respect: Sequence[str], regions: bool) -> None:
    """Raise `click.UsageError` for options that `--sitemap` contradicts or needs."""
    if not pages:
        raise click.UsageError("--sitemap needs the pages; add --page")
    if others:
        raise click.UsageError("--sitemap has the pages to check; leave out the URLs, --urls and --robots")
    for name, given in (("--respect", respect), ("--regions", regions)):
        if given:
            raise click.UsageError(f"--sitemap shows only the problems of pages; leave out {name}")


def _client(
    sender: options.Sender,
    policy: str,
    credentials: "SiteCredentials",
    reading: str | Dialect,
    *,
    acap: bool,
    contact: bool,
    public_only: bool,
) -> "SiteClient":
    """Create the HTTP client. Pages and lists need a contact.

    Answers to another User-Agent header are not cached.
    """
    from ..contact import identity_of
    from ..session import open_client

    identity = identity_of(*sender, needs_contact=contact)
    return open_client(
        identity,
        policy,
        credentials,
        reading,
        acap=acap,
        public_only=public_only,
        cached=not (sender.user_agent or public_only),
    )
