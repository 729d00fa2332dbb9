"""The values of `--agent` -> the robots to answer for; what is assumed about them is printed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..protocol.access import AccessPolicy
from . import options
from .terminal import echo

if TYPE_CHECKING:
    from ..desk import NamedRobot

#: Maximum number of lines of assumptions that are printed for all robots together.
_SHOWN = 20


def asked_robots(
    agents: Sequence[str],
    policy: AccessPolicy,
    *,
    dialect: str | None = None,
    agent_match: str | None = None,
    exact: bool = False,
) -> "dict[str, NamedRobot]":
    """Return the robots to answer for, as `named_robots` does.

    Raises `click.UsageError` if a name is empty.
    """
    from ..desk import named_robots

    for agent in agents:
        options.agent_names(agent)
    return named_robots(agents, policy, dialect=dialect, agent_match=agent_match, exact=exact)


def show_assumptions(assumptions: Iterable[str]) -> None:
    """Print what was assumed about known robots, each sentence once."""
    lines = list(dict.fromkeys(assumptions))
    if lines:
        echo("Assumed about known robots; --exact assumes nothing:")
    for line in lines[:_SHOWN]:
        echo(f"  {line}")
    if len(lines) > _SHOWN:
        echo(f"  and {len(lines) - _SHOWN:,} more")
