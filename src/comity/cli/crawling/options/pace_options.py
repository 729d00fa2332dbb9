"""Options of a crawl about its pace and its limits."""

import click

from ...option_types import ByteSize, Duration, Number, WholeNumber
from .option_group import option_group

pace_options = option_group(
    click.option(
        "--limit",
        metavar="N",
        type=WholeNumber(1),
        help="Maximum number of pages. Only stored pages count.",
    ),
    click.option(
        "--limit-per-host",
        metavar="N",
        type=WholeNumber(1),
        help="Maximum number of pages of each host.",
    ),
    click.option(
        "--max-time",
        metavar="TIME",
        type=Duration(1),
        help="End the run after this time, such as 30m or 2h. The next run continues.",
    ),
    click.option(
        "--max-bytes",
        "-Q",
        metavar="SIZE",
        type=ByteSize(),
        help="End when the stored pages have this size, such as 100M.",
    ),
    click.option(
        "--limit-rate",
        metavar="SIZE",
        type=ByteSize(),
        help="Maximum bandwidth of the process per second, such as 200k.",
    ),
    click.option(
        "--delay",
        metavar="TIME",
        type=Duration(0, 86_400),
        default=1.0,
        show_default=True,
        help="Minimum time between two requests to a site.",
    ),
    click.option(
        "--slow-down",
        metavar="FACTOR",
        type=Number(1000, "5"),
        help="Minimum time between two requests, in response times, such as 5.",
    ),
    click.option(
        "--random-wait",
        is_flag=True,
        help="Wait one to two times as long between requests, at random.",
    ),
)
