"""Options that several commands take."""

import click

from ..protocol.access_policy import POLICIES

__all__ = ["policy_option", "user_agent_option"]

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
