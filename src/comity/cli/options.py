"""Options that several commands take."""

from collections.abc import Sequence

import click

from ..protocol.access.policy import POLICIES

__all__ = ["check_uses", "page_option", "policy_option", "respect_option", "user_agent_option"]

policy_option = click.option(
    "--policy",
    type=click.Choice(list(POLICIES), case_sensitive=False),
    default="rfc9309",
    show_default=True,
    help="Whose reading of statuses, redirects and failures to follow.",
)

user_agent_option = click.option(
    "--user-agent",
    metavar="HEADER",
    default="",
    help="The User-Agent header to ask with, since some servers answer one robot and not another. "
    "Default: Comity and its version.",
)

page_option = click.option(
    "--page",
    "pages",
    is_flag=True,
    help="Fetch the page too, if it may be fetched, and say what may be done with it: index it, follow its "
    "links, archive it, show a snippet, train AI on it, give it to one as input.",
)

respect_option = click.option(
    "--respect",
    multiple=True,
    metavar="USE",
    help="With --page: a use (train-ai, ai-input, search, tdm) that has to be permitted for exit status 0.",
)


def check_uses(uses: Sequence[str], pages: bool) -> None:
    """Complain of uses that nobody knows, or that nobody looks for."""
    if uses and not pages:
        raise click.UsageError("--respect is about pages: add --page")
    if uses:
        from ..errors import UnknownCategory
        from ..protocol.usage.answer import usage

        try:
            for use in uses:
                usage("/", agent=()).preference(use)
        except UnknownCategory as error:
            raise click.UsageError(str(error)) from None
