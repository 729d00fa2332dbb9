"""The values of `--agent` -> the robots to answer for, each with what is assumed about it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...protocol.access.policy import RFC9309_ACCESS, AccessPolicy, dialect_for
from ...protocol.robotstxt.dialect import Dialect, named
from ...protocol.robotstxt.document import RobotsTxt, parse
from ...protocol.robotstxt.rules import Rules
from ...protocol.robotstxt.selection import names_of
from .. import options
from ..terminal import echo

#: Maximum number of lines of assumptions that are printed for all robots together.
_SHOWN = 20


class AskedRobot(NamedTuple):
    """A robot to answer for: its `names` as given, and the `dialect` that it reads robots.txt by.

    `tokens` are the names to look for in robots.txt, in order of preference, with those it falls back to.
    `ignores_star` is true if it ignores the groups for `*`. `control_token` is the name whose rules control
    training on what it fetched, or None. `assumptions` are sentences on what is assumed.
    """

    names: tuple[str, ...]
    tokens: tuple[str, ...]
    dialect: str | Dialect
    ignores_star: bool = False
    control_token: str | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that was asked for: of a header, its token; of several tokens, all of them."""
        return ",".join(self.names)

    def rules_for(self, robots: RobotsTxt) -> Rules:
        """Return the rules of a file for the robot."""
        rules = parse(robots, dialect=named(self.dialect)).rules_for(self.tokens)
        return rules.without_default() if self.ignores_star else rules


def asked_robots(
    agents: Sequence[str],
    policy: AccessPolicy,
    *,
    dialect: str | None = None,
    agent_match: str | None = None,
    exact: bool = False,
) -> dict[str, AskedRobot]:
    """Return the robots to answer for, by the values of `--agent`; the default is `*`, any other robot.

    The catalogue of known robots gives each one its fallbacks and the dialect of its operator, unless `exact`
    is true. A dialect that the caller chose wins, and so does that of a policy with a dialect of its own.

    Raises `click.UsageError` if a name is empty.
    """
    usual = dialect_for(policy, dialect, agent_match)
    if not agents:
        return {"*": AskedRobot(("*",), ("*",), usual)}
    from ...agents import question  # loads the catalogue

    is_chosen = dialect is not None or policy.dialect != RFC9309_ACCESS.dialect
    found = {}
    for agent in agents:
        given = options.agent_names(agent)
        asked = question(given, dialect=named(usual) if is_chosen else None, exact=exact)
        own = asked.dialect.name if isinstance(asked.dialect, Dialect) else asked.dialect
        found[agent] = AskedRobot(
            names_of(given),
            names_of(asked.agent),
            usual if is_chosen else dialect_for(policy, own, agent_match),
            asked.ignores_star,
            asked.known.control_token if asked.known else None,
            asked.assumptions,
        )
    return found


def show_assumptions(assumptions: Iterable[str]) -> None:
    """Print what was assumed about known robots, each sentence once."""
    lines = list(dict.fromkeys(assumptions))
    if lines:
        echo("Assumed about known robots; --exact assumes nothing:")
    for line in lines[:_SHOWN]:
        echo(f"  {line}")
    if len(lines) > _SHOWN:
        echo(f"  and {len(lines) - _SHOWN:,} more")
