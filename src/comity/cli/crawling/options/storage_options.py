"""Options of a crawl about its job, and about stored pages."""

import click

from ...option_types import ByteSize
from .option_group import listed, option_group

job_options = option_group(
    click.option(
        "--job",
        "name",
        metavar="NAME",
        help="The folder of the crawl. Default: the host of the first URL.",
    ),
    click.option("--resume", is_flag=True, help="Continue a crawl with its own URLs and options."),
    click.option(
        "--refresh",
        is_flag=True,
        help="Bring stored copies up to date. Fetches the pages of a finished crawl again that have changed.",
    ),
)


def _media(context: click.Context, option: click.Parameter, lists: tuple[str, ...]) -> tuple[str, ...]:
    """Return the media types of all lists."""
    return tuple(media.lower() for media in listed(context, option, lists))


storage_options = option_group(
    click.option(
        "--media",
        metavar="LIST",
        multiple=True,
        callback=_media,
        help="Store only these media types, such as text/html,image/*.",
    ),
    click.option(
        "--max-size",
        metavar="SIZE",
        type=ByteSize(),
        help="Maximum size of a page, such as 2M. Default and maximum: 15,000,000 bytes.",
    ),
    click.option(
        "--spider",
        "only_check",
        is_flag=True,
        help="Check links, store no pages, and list the broken links.",
    ),
    click.option(
        "--convert-links",
        is_flag=True,
        help="After the crawl, let the links of pages in mirror/ lead to its files.",
    ),
    click.option("--warc", is_flag=True, help="Store pages in crawl.warc.gz instead of the folder mirror/."),
    click.option(
        "--warc-size",
        metavar="SIZE",
        type=ByteSize(),
        help="Start a new WARC file when one gets larger than this, such as 1G.",
    ),
    click.option(
        "--wacz",
        is_flag=True,
        help="Store pages as with --warc, and pack them into crawl.wacz when the crawl ends.",
    ),
    click.option(
        "--durability",
        type=click.Choice(["page", "batch"]),
        default="batch",
        show_default=True,
        help="Write each page to the disk before the next, or all pages every 30 seconds.",
    ),
    click.option(
        "--redis",
        "server",
        metavar="URL",
        envvar="COMITY_REDIS",
        help="Share the crawl with other machines through a Redis server. Default: COMITY_REDIS, where "
        "other users cannot read its password.",
    ),
)
