"""Options of a crawl about the pages that it fetches."""

import click

from ...option_types import LinkDepth
from ...options import urls_option
from .option_group import listed, option_group

scope_options = option_group(
    urls_option("They are start URLs, too. A sitemap, an index of sitemaps and gzip work too.", "-i"),
    click.option(
        "--depth",
        metavar="N",
        type=LinkDepth(),
        default=5,
        show_default=True,
        help="Maximum number of links from a start URL, or inf.",
    ),
    click.option("--span-hosts", is_flag=True, help="Follow links to other hosts."),
    click.option(
        "--domains",
        "-D",
        metavar="LIST",
        multiple=True,
        callback=listed,
        help="Follow links to hosts of these domains and their subdomains, such as example.com,example.org.",
    ),
    click.option(
        "--private-host",
        "private_hosts",
        metavar="HOST",
        multiple=True,
        help="Allow links to this host in a private network, such as localhost:8000.",
    ),
    click.option(
        "--include",
        metavar="PATTERN",
        multiple=True,
        help="Follow only links to these paths, such as /shop/ or *.html$, or to URLs that match re:REGEX.",
    ),
    click.option("--exclude", metavar="PATTERN", multiple=True, help="Skip links to these paths."),
    click.option(
        "--drop-param",
        "drop_params",
        metavar="NAME",
        multiple=True,
        help="Remove this parameter from links, such as ref or ref_*.",
    ),
    click.option(
        "--drop-tracking",
        is_flag=True,
        help="Remove parameters that count visits from links, such as utm_source and gclid.",
    ),
    click.option(
        "--drop-sessions",
        is_flag=True,
        help="Remove parameters that name a session from links, such as PHPSESSID and jsessionid.",
    ),
    click.option(
        "--start-from-sitemaps",
        "sitemaps",
        is_flag=True,
        help="Also fetch the pages that the sites' sitemaps list.",
    ),
)
