"""Options of a crawl about its results."""

from pathlib import Path

import click

from ...options import json_option
from ..metrics_option import metrics_option
from .option_group import option_group

report_options = option_group(
    click.option(
        "--report",
        "page",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write an HTML report with charts, and its tables as CSV into a folder next to it.",
    ),
    click.option(
        "--tables",
        is_flag=True,
        help="Write pages.parquet and links.parquet into the folder of the crawl.",
    ),
    click.option(
        "--text",
        is_flag=True,
        help="Also write the text of the pages, with licences and rules, to text.jsonl. Without --respect, "
        "pages that disallow train-ai are left out.",
    ),
    metrics_option,
    json_option("One object, when the crawl ends."),
)
