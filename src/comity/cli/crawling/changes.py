"""Options that `comity crawl --resume` and `--refresh` change in a job."""

from collections.abc import Sequence

import click
from click.core import ParameterSource

#: Options that --resume and --refresh can change, and options that are not stored with the job.
CHANGEABLE = (
    *("limit", "limit_per_host", "max_time", "max_bytes", "limit_rate", "delay", "slow_down"),
    *("convert_links", "durability", "text"),
)
PER_RUN = (
    *("name", "resume", "refresh", "user", "ask_password", "load_cookies", "accept_cookies", "contact"),
    *("page", "tables", "metrics", "wacz", "server", "as_json", "browser"),
)


def changed_options(urls: Sequence[str], flag: str) -> dict[str, object]:
    """Return the options that a run changes; raises `click.UsageError` for those that it cannot.

    `flag` is --resume or --refresh.
    """
    if urls:
        raise click.UsageError(f"{flag} takes no URL: the job has its own")
    context = click.get_current_context()
    given = {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    options = {option.name: option.opts[0] for option in context.command.params}
    fixed = [
        option for name, option in options.items() if name in given and name not in (*CHANGEABLE, *PER_RUN)
    ]
    if fixed:
        *first, last = [option for name, option in options.items() if name in CHANGEABLE]
        raise click.UsageError(
            f"{flag} can change only {', '.join(first)} and {last}: leave out {' '.join(fixed)}"
        )
    return {name: given[name] for name in CHANGEABLE if name in given}
