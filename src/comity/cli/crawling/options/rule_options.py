"""Options of a crawl about the rules that it follows, its name and its logins."""

import click

from ...options import (
    POLICY_DIALECT,
    acap_option,
    agent_match_option,
    contact_option,
    dialect_option,
    login_options,
    policy_option,
    respect_option,
    user_agent_option,
)
from .cookie_options import cookie_options
from .option_group import option_group

rule_options = option_group(
    policy_option,
    dialect_option(POLICY_DIALECT),
    agent_match_option(),
    acap_option,
    user_agent_option,
    login_options,
    cookie_options,
    click.option(
        "--no-check-certificate",
        is_flag=True,
        help="Accept any certificate of an https site.",
    ),
    contact_option("Needed once; it is stored."),
    respect_option("Skip pages that disallow it."),
    click.option(
        "--force-start",
        is_flag=True,
        help="Fetch the start URLs even if robots.txt disallows them.",
    ),
)
