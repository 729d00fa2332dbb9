"""The options of `comity check`: its inputs, and those that contradict or need each other."""

from collections.abc import Sequence

import click

from .. import options
from ..inputs import sites_named


def inputs_of(
    urls: Sequence[str], urls_files: Sequence[str], robots_files: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the URLs and the lists; a URL of - is a list. A site may lack its scheme, and a path may not."""
    if "-" in urls:
        urls, urls_files = [url for url in urls if url != "-"], [*urls_files, "-"]
    return urls if robots_files else sites_named(urls), urls_files


def check_options(
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
